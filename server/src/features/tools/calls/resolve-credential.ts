import type { AuthenticateReason } from '@carabiner/contract'
import type { Secret } from '../../../core/secret.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import { ownHeaders } from '../../connectors/mcp-servers/mcp-connectors.ts'
import { missingScopes } from '../../connectors/oauth-provider.ts'
import type { StoredCredential } from '../../credentials/credential-store.ts'
import {
  type HeldCredential,
  openCredential,
  type RefreshDeps,
  reasonOf,
  type UsableCredential,
} from '../../credentials/refresh-credential.ts'
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
  const { admission, callable } = admitted
  const organizationId = admission.organizationId
  if (callable.kind === 'mcp' && isOpen(callable)) {
    const own = await ownHeaders(deps.vault, { organizationId, ...callable.server })
    return { by: 'organization', ...own }
  }
  const stored = admission.credential
  const authRequired = checkStored(stored, callable)
  if (authRequired || !stored) return { authRequired: authRequired ?? { reason: 'never_linked' } }
  const registeredUserId = admission.userId
  const connectorSlug = callable.connector.slug
  const held = { organizationId, registeredUserId, connectorSlug, credential: stored }
  const opened = await openCredential(deps, held)
  if (!opened.usable) return { authRequired: { reason: opened.reason } }
  return { by: 'user', secret: opened.secret, held: { ...held, credential: opened.credential } }
}

const isOpen = ({ server }: Extract<CallableTool, { kind: 'mcp' }>): boolean =>
  server.authentication === 'none' || server.authentication === 'organization_secret'

/** Checks the stored state only; nothing is decrypted yet. */
const checkStored = (stored: StoredCredential | null, callable: CallableTool): AuthRequired | null => {
  if (!stored) return { reason: 'never_linked' }
  if (stored.status !== 'active') return { reason: reasonOf(stored) }
  // An API key has no scopes to compare.
  if (callable.kind !== 'http' || stored.oauthApp === null) return null
  const scopes = missingScopes(callable.tool.scopes, stored.scopes)
  return scopes.length > 0 ? { reason: 'insufficient_scope', missingScopes: scopes } : null
}
