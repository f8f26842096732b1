import type { AuthenticateReason } from '@carabiner/contract'
import type { Secret } from '../../../core/secret.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import { ownHeaders } from '../../connectors/mcp-servers/mcp-connectors.ts'
import { missingScopes } from '../../connectors/oauth-party.ts'
import type { CredentialRow } from '../../credentials/credential-store.ts'
import {
  type HeldCredential,
  openCredential,
  type RefreshDeps,
  reasonOf,
  type UsableCredential,
} from '../../credentials/refresh-credential.ts'
import { credentialOf } from '../admission/admission-store.ts'
import type { Admitted } from '../admission/admit-call.ts'
import type { CallableTool } from '../admission/callable-tool.ts'

/** What stands between the call and the third party, and what would have to be granted for it. */
export type Lack = { reason: AuthenticateReason; scopes?: string[] }

export type Access =
  /** With the user's own credential. */
  | { by: 'user'; secret: Extract<UsableCredential, { usable: true }>['secret']; held: HeldCredential }
  /** With the organization's secret, or none: nobody links anything. */
  | { by: 'organization'; headers: Record<string, string>; secret: Secret | null }

type Deps = RefreshDeps & { vault: Vault }

export const obtainAccess = async (deps: Deps, admitted: Admitted): Promise<Access | { lacks: Lack }> => {
  const { row, callable } = admitted
  const organizationId = row.organization_id
  if (callable.kind === 'mcp' && isOpen(callable)) {
    const own = await ownHeaders(deps.vault, { organization_id: organizationId, ...callable.server })
    return { by: 'organization', ...own }
  }
  const stored = credentialOf(row)
  const lack = judgeStored(stored, callable)
  if (lack || !stored) return { lacks: lack ?? { reason: 'never_linked' } }
  const registeredUserId = row.user_id
  const connectorSlug = callable.connector.slug
  const held = { organizationId, registeredUserId, connectorSlug, row: stored }
  const opened = await openCredential(deps, held)
  if (!opened.usable) return { lacks: { reason: opened.reason } }
  return { by: 'user', secret: opened.secret, held: { ...held, row: opened.row } }
}

const isOpen = ({ server }: Extract<CallableTool, { kind: 'mcp' }>): boolean =>
  server.authentication === 'none' || server.authentication === 'organization_secret'

/** Judged by what is written down, before anything is opened. */
const judgeStored = (stored: CredentialRow | null, callable: CallableTool): Lack | null => {
  if (!stored) return { reason: 'never_linked' }
  if (stored.status !== 'active') return { reason: reasonOf(stored) }
  // A key carries its permissions in itself; only a grant has scopes.
  if (callable.kind !== 'http' || stored.oauth_app === null) return null
  const scopes = missingScopes(callable.tool.scopes, stored.scopes)
  return scopes.length > 0 ? { reason: 'insufficient_scope', scopes } : null
}
