import { unsavedChanges } from './drafts/unsaved-changes.ts'

const KEY = 'carabiner.reloaded'
const MIN_INTERVAL_MS = 60_000

/** After an upgrade of the service, an open tab refers to files that no longer exist. It is loaded again, at most once a minute. */
export const reloadAfterUpgrade = (): void =>
  window.addEventListener('vite:preloadError', event => {
    const last = Number(sessionStorage.getItem(KEY) ?? 0)
    if (Date.now() - last < MIN_INTERVAL_MS) return
    event.preventDefault()
    sessionStorage.setItem(KEY, String(Date.now()))
    unsavedChanges.release()
    window.location.reload()
  })
