import { useState } from 'react'
import { useUnsavedChanges } from './unsaved-changes.ts'

/** A secret that a person enters. It is stored nowhere until it is saved. */
export const useSecretDraft = () => {
  const [value, change] = useState('')
  const discard = (): void => change('')
  useUnsavedChanges(value !== '', discard)
  return {
    value,
    change,
    discard,
    /** After this secret was saved. One that was entered meanwhile is kept. */
    settle: (saved: string): void => change(current => (current === saved ? '' : current)),
  }
}
