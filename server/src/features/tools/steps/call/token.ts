import type { ExplainDetail } from '@carabiner/contract'
import { ownHeaders } from '../../../connectors/mcp-servers/mcp-connectors.ts'
import {
  decryptCredential,
  isRefreshable,
  refreshCredential,
} from '../../../credentials/refresh-credential.ts'
import { heldCredential, ownServer } from './access.ts'
import type { CallState, CallStep } from './call-step.ts'
import { NO_ACCOUNT, reconnectFix } from './credential.ts'

/** The credential can be decrypted, and its access token is valid or can be refreshed. */
export const tokenStep: CallStep = {
  name: 'token',
  phase: 'credential',
  decide: async (deps, call) => {
    const { admission, callable } = call
    const server = ownServer(callable)
    const held = heldCredential(admission, callable)
    if (server) {
      const { organizationId } = admission
      call.access = { by: 'organization', ...(await ownHeaders(deps.vault, { organizationId, ...server })) }
    } else if (held && !held.credential.refreshDue)
      call.access = { by: 'user', secret: await decryptCredential(deps, held), held }
    return null
  },
  effect: {
    apply: async (deps, call) => {
      const held = heldToRefresh(call)
      if (!held) return null
      const refreshed = await refreshCredential(deps, held)
      if (!refreshed.usable) return { authRequired: { reason: refreshed.reason } }
      const { secret, credential } = refreshed
      call.access = { by: 'user', secret, held: { ...held, credential } }
      return null
    },
    foresee: async (deps, call) => {
      const held = heldToRefresh(call)
      return !held || (await isRefreshable(deps, held)) ? null : { authRequired: { reason: 'expired' } }
    },
  },
  explain: (call, obstacle) => {
    const { admission, callable } = call
    const { credential } = admission
    if (!credential || ownServer(callable)) return { summary: NO_ACCOUNT }
    const { accessExpiresAt, refreshDue } = credential
    const detail: ExplainDetail = {
      refresh_due: refreshDue,
      ...(accessExpiresAt && { access_expires_at: accessExpiresAt.toISOString() }),
    }
    if (obstacle)
      return {
        summary: `The access token for ${callable.connector.name} has expired and cannot be refreshed.`,
        detail,
        fix: reconnectFix(call),
      }
    return {
      summary: refreshDue
        ? 'The access token has expired. The next call refreshes it.'
        : 'The credential can be used.',
      detail,
    }
  },
}

const heldToRefresh = ({ admission, callable }: CallState) => {
  const held = ownServer(callable) ? null : heldCredential(admission, callable)
  return held?.credential.refreshDue ? held : null
}
