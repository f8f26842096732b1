import { notChecked } from '../admission/admission-step.ts'
import type { CallStep } from './call-step.ts'

/** Only a call finds out what the provider answers: `calls/call-tool.ts`. */
export const providerStep: CallStep = {
  name: 'provider',
  phase: 'provider',
  explain: ({ callable }) => notChecked(`${callable.connector.name} was not called.`),
}
