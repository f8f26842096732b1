import type { ExplainFix } from '@carabiner/contract'
import { fixBy, type StepText } from './admission-step.ts'
import { connectorOf, type Subject } from './subject.ts'

/** The request that returns a link for the connector. */
export const connectFix = (
  subject: Subject,
  label: string,
  action: ExplainFix['action'] = 'connect_account',
): ExplainFix =>
  fixBy(action, label, {
    method: 'POST',
    path: `/api/v1/registered-users/${subject.target.userId}/link-token`,
    body: { connector: connectorOf(subject)?.slug, tool_pack_id: subject.target.packId },
  })

/** For a server that lists its tools only with an account. */
export const unknownTools = (subject: Subject, name: string): StepText => ({
  summary: `The tools of ${name} are unknown until an account is connected.`,
  fix: connectFix(subject, `Connect a ${name} account: create a link and send it to the user.`),
})
