import { useSyncExternalStore } from 'react'

const neverChanges = () => () => undefined

/** A fact of the browser. While the page is prerendered and hydrated it is `assumed`, so that both render the same. */
export const useBrowserFact = (read: () => boolean, assumed: boolean): boolean =>
  useSyncExternalStore(neverChanges, read, () => assumed)
