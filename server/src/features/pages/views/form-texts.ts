import type { AsksFor } from '@carabiner/contract'
import type { Words } from './words/words.ts'

export type FormTexts = Words['apiKey']

export const formTexts = ({ apiKey, credentialsForm }: Words, asksFor: AsksFor): FormTexts =>
  asksFor === 'key'
    ? apiKey
    : { ...apiKey, ...credentialsForm, problem: { ...apiKey.problem, ...credentialsForm.problem } }
