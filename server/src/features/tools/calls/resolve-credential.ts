import type { AuthenticateReason } from '@carabiner/contract'
import type { Secret } from '../../../core/secret.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import { ownHeaders } from '../../connectors/mcp-servers/mcp-connectors.ts'
import { missingScopes } from '../../connectors/oauth-provider.ts'
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

/** The user must connect the account, or grant the missing scopes, before the call can be made. */
export type AuthRequired = { reason: AuthenticateReason; missingScopes?: string[] }

export type Access =
  /** The user's own credential. */
  | { by: 'user'; secret: Extract<UsableCredential, { usable: true }>['secret']; held: HeldCredential }
  /** The organization's secret, or no authentication: users have nothing to connect. */
  | { by: 'organization'; headers: Record<string, string>; secret: Secret | null }

type Deps = RefreshDeps & { vault: Vault }

export const resolveCredential = async (
  deps: Deps,
  admitted: Admitted,
): Promise<Access | { authRequired: AuthRequired }> => {
  const { row, callable } = admitted
  const organizationId = row.organization_id
  if (callable.kind === 'mcp' && isOpen(callable)) {
    const own = await ownHeaders(deps.vault, { organization_id: organizationId, ...callable.server })
    return { by: 'organization', ...own }
  }
  const stored = credentialOf(row)
  const authRequired = checkStored(stored, callable)
  if (authRequired || !stored) return { authRequired: authRequired ?? { reason: 'never_linked' } }
  const registeredUserId = row.user_id
  const connectorSlug = callable.connector.slug
  const held = { organizationId, registeredUserId, connectorSlug, row: stored }
  const opened = await openCredential(deps, held)
  if (!opened.usable) return { authRequired: { reason: opened.reason } }
  return { by: 'user', secret: opened.secret, held: { ...held, row: opened.row } }
}

const isOpen = ({ server }: Extract<CallableTool, { kind: 'mcp' }>): boolean =>
  server.authentication === 'none' || server.authentication === 'organization_secret'

/** Checks the stored row only; nothing is decrypted yet. */
const checkStored = (stored: CredentialRow | null, callable: CallableTool): AuthRequired | null => {
  if (!stored) return { reason: 'never_linked' }
  if (stored.status !== 'active') return { reason: reasonOf(stored) }
  // An API key has no scopes to compare.
  if (callable.kind !== 'http' || stored.oauth_app === null) return null
  const scopes = missingScopes(callable.tool.scopes, stored.scopes)
  return scopes.length > 0 ? { reason: 'insufficient_scope', missingScopes: scopes } : null
}
