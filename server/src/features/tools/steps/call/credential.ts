import type { ExplainDetail } from '@carabiner/contract'
import { Refusal } from '../../../../core/refusal.ts'
import { reasonOf } from '../../../credentials/refresh-credential.ts'
import { fixBy } from '../admission/admission-step.ts'
import { connectFix } from '../admission/connect-fix.ts'
import { ownServer } from './access.ts'
import { authRequiredIn, type CallStep, type ExplainedCall } from './call-step.ts'

export const NO_ACCOUNT = 'The call does not use an account of the user.'

/** The connection is active and not paused. */
export const credentialStep: CallStep = {
  name: 'credential',
  phase: 'credential',
  decide: (_, { admission: { credential }, callable }) => {
    if (!credential || ownServer(callable)) return null
    if (credential.pausedUntil !== null)
      return { refusal: pausedRefusal(credential.pausedUntil, callable.connector.name) }
    return credential.status === 'active' ? null : { authRequired: { reason: reasonOf(credential) } }
  },
  explain: (call, obstacle) => {
    const { admission, callable } = call
    if (ownServer(callable)) return { summary: NO_ACCOUNT }
    const { credential } = admission
    const { name } = callable.connector
    const detail: ExplainDetail = credential ? { credential_status: credential.status } : {}
    if (!obstacle) return { summary: `The connection to ${name} is active.`, detail }
    const authRequired = authRequiredIn(obstacle)
    if (authRequired)
      return {
        summary: `The connection to ${name} ${authRequired.reason === 'expired' ? 'has expired' : 'was revoked'}.`,
        detail,
        fix: reconnectFix(call),
      }
    return {
      summary: `The user has paused the connection to ${name}.`,
      detail: {
        ...detail,
        ...(credential?.pausedUntil && { paused_until: credential.pausedUntil.toISOString() }),
      },
      fix: fixBy(
        'resume_connection',
        'Wait until the connection resumes automatically, or ask the user to resume it.',
        {
          method: 'POST',
          path: `/api/v1/registered-users/${call.subject.target.userId}/credentials/${credential?.id}/resume`,
          body: {},
        },
      ),
    }
  },
}

/** A paused connection resumes automatically, so the result contains no link. */
const pausedRefusal = (pausedUntil: Date, name: string): Refusal => {
  const resumesAt = pausedUntil.toISOString()
  return new Refusal('connection_paused', {
    message: `The user has paused the connection to ${name}. It resumes at ${resumesAt}, or earlier if the user resumes it.`,
    resumesAt,
  })
}

export const reconnectFix = ({ subject, callable }: ExplainedCall) =>
  connectFix(
    subject,
    `Connect ${callable.connector.name} again: create a link and send it to the user.`,
    'reconnect_account',
  )
