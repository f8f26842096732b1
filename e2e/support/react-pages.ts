import { build as buildReact18 } from '../../examples/react-18/build.ts'
import type { Application } from './application.ts'
import { buildPage } from './build-page.ts'

export const REACT_19 = '/react-19'
export const REACT_18 = '/react-18'

/** The same component in both supported versions of React. The package must be built first. */
export const serveReactPages = async (application: Application): Promise<void> => {
  const [react19, react18] = await Promise.all([buildPage('react-page.js'), buildReact18()])
  application.serveScript(`${REACT_19}.js`, react19)
  application.serveScript(`${REACT_18}.js`, react18)
  application.serve(
    REACT_19,
    `<h1>Settings</h1><div id="root"></div><script type="module" src="${REACT_19}.js"></script>`,
  )
}

/** The page for React 18 is the example, which reads its token from the page. */
export const react18Page = (linkToken: string, linkUrl: string): string =>
  `<h1>Settings</h1><div id="root" data-link-token="${linkToken}" data-link-url="${linkUrl}"></div>
<script type="module" src="${REACT_18}.js"></script>`
