import { renderToString } from 'react-dom/server'
import { SignInRoot } from './sign-in-root.tsx'

/** The markup of the sign-in page. React adopts the title of the document, so the markup has none. */
export const prerenderSignIn = (): string =>
  renderToString(<SignInRoot next={undefined} error={undefined} />).replace(/<title>.*?<\/title>/, '')
