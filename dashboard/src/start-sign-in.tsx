import { createRoot, hydrateRoot } from 'react-dom/client'
import { SignInRoot } from './pages/sign-in/sign-in-root.tsx'
import { reloadAfterUpgrade } from './reload-after-upgrade.ts'
import './styles.css'

/** The entry of the sign-in page. It is prerendered, so that it appears before any script has run, and has no router. */
reloadAfterUpgrade()
const container = document.getElementById('root') as HTMLElement
const { dataset } = document.documentElement
const search = new URLSearchParams(window.location.search)
const page = <SignInRoot next={search.get('next') ?? undefined} error={search.get('error') ?? undefined} />
// The development server does not prerender.
if (dataset.signIn === 'variant' || !container.firstElementChild) {
  container.replaceChildren()
  delete dataset.signIn
  createRoot(container).render(page)
} else {
  // After the next frame, so that hydration does not delay the first paint.
  requestAnimationFrame(() => setTimeout(() => hydrateRoot(container, page)))
}
