import { unsavedChanges } from '../drafts/unsaved-changes.ts'

/** The person whose data this page has loaded. Another person starts with a new page, because sign-in loads the page again. */
let known: string | null = null

/** Whether this is the person of the page. The first session decides. */
export const isPagePerson = (id: string): boolean => {
  known ??= id
  return known === id
}

/** Names the person to the service, which rejects requests if someone else has signed in meanwhile, for example on another tab. */
export const personHeader = (): Record<string, string> =>
  known === null ? {} : { 'carabiner-person': known }

/** Discards everything that the page has loaded. */
export const startAgain = (): Promise<never> => {
  unsavedChanges.release()
  window.location.assign('/dashboard')
  return new Promise<never>(() => undefined)
}
