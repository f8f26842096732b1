import type { AuthenticateReason } from '@carabiner/contract'
import { Refusal } from '../../../core/refusal.ts'
import type { Secret } from '../../../core/secret.ts'
import { isUuid } from '../../../core/uuid.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import { missingScopes } from '../../connectors/link-scopes.ts'
import { ownHeaders } from '../../connectors/mcp-servers/mcp-connectors.ts'
import type { StoredCredential } from '../../credentials/credential-store.ts'
import {
  type HeldCredential,
  openCredential,
  type RefreshDeps,
  reasonOf,
  type UsableCredential,
} from '../../credentials/refresh-credential.ts'
import type { AccountProblem, AdmittedServer } from '../admission/admission-rows.ts'
import type { Admitted } from '../admission/admit-call.ts'
import type { CallableTool } from '../admission/callable-tool.ts'
import { accountRefusal } from './choose-account.ts'

/** The user must connect the account, or grant the missing scopes, before the call can be made. */
export type AuthRequired = { reason: AuthenticateReason; missingScopes?: string[] }

export type Access =
  /** A credential of the user, or one that is shared with them. */
  | { by: 'user'; secret: Extract<UsableCredential, { usable: true }>['secret']; held: HeldCredential }
  /** The organization's secret, or no authentication: users have nothing to connect. */
  | { by: 'organization'; headers: Record<string, string>; secret: Secret | null }

/** Tools of connector files are called with the user's own credential only. */
export const userSecretOf = (access: Access): Extract<Access, { by: 'user' }>['secret'] => {
  if (access.by !== 'user')
    throw new Error('a tool of a connector file is called with a credential of a user')
  return access.secret
}

type Deps = RefreshDeps & { vault: Vault }

export const resolveCredential = async (
  deps: Deps,
  admitted: Pick<Admitted, 'admission' | 'callable'>,
): Promise<Access | { authRequired: AuthRequired }> => {
  const chosen = chooseAccess(admitted)
  if ('authRequired' in chosen) return chosen
  if ('refusal' in chosen) throw chosen.refusal
  if ('accountProblem' in chosen) throw await accountRefusal(deps.db, admitted, chosen.accountProblem)
  if (chosen.by === 'organization')
    return { by: 'organization', ...(await ownHeaders(deps.vault, chosen.server)) }
  const opened = await openCredential(deps, chosen.held)
  if (!opened.usable) return { authRequired: { reason: opened.reason } }
  return { by: 'user', secret: opened.secret, held: { ...chosen.held, credential: opened.credential } }
}

type ChosenAccess =
  | { authRequired: AuthRequired }
  /** The call does not name one of the user's accounts. */
  | { accountProblem: AccountProblem }
  /** The user has paused the connection, or cannot use the account of the pack. */
  | { refusal: Refusal }
  | { by: 'organization'; server: AdmittedServer & { organizationId: string } }
  | { by: 'user'; held: HeldCredential }

/** Decides by the stored state which credential the call uses; nothing is decrypted yet. */
export const chooseAccess = ({
  admission,
  callable,
}: Pick<Admitted, 'admission' | 'callable'>): ChosenAccess => {
  const { organizationId, userId: registeredUserId, credential: stored, accountProblem } = admission
  if (callable.kind === 'mcp' && isOpen(callable))
    return { by: 'organization', server: { organizationId, ...callable.server } }
  if (accountProblem) return { accountProblem }
  if (!stored && admission.fixedAccount !== null && isUuid(admission.fixedAccount))
    return { refusal: unavailableRefusal(callable) }
  if (!stored) return { authRequired: { reason: 'never_linked' } }
  if (stored.pausedUntil !== null) return { refusal: pausedRefusal(stored.pausedUntil, callable) }
  const authRequired = checkStored(stored, callable)
  if (authRequired) return { authRequired }
  const connectorSlug = callable.connector.slug
  const owner = { organizationId, registeredUserId: admission.sharedBy ?? registeredUserId }
  return { by: 'user', held: { ...owner, connectorSlug, credential: stored } }
}

const isOpen = ({ server }: Extract<CallableTool, { kind: 'mcp' }>): boolean =>
  server.authentication === 'none' || server.authentication === 'organization_secret'

const checkStored = (stored: StoredCredential, callable: CallableTool): AuthRequired | null => {
  if (stored.status !== 'active') return { reason: reasonOf(stored) }
  // An API key has no scopes to compare.
  if (callable.kind !== 'http' || stored.oauthApp === null) return null
  const scopes = missingScopes(callable.tool.scopes, stored.scopes)
  return scopes.length > 0 ? { reason: 'insufficient_scope', missingScopes: scopes } : null
}

/** The pack allows one credential only, which a link of the user cannot replace. */
const unavailableRefusal = ({ connector }: CallableTool): Refusal =>
  new Refusal('account_unavailable', {
    message: `The Tool Pack allows one ${connector.name} account only, and this user cannot use it.`,
  })

/** A paused connection resumes automatically, so the result contains no link. */
const pausedRefusal = (pausedUntil: Date, { connector }: CallableTool): Refusal => {
  const resumesAt = pausedUntil.toISOString()
  return new Refusal('connection_paused', {
    message: `The user has paused the connection to ${connector.name}. It resumes at ${resumesAt}, or earlier if the user resumes it.`,
    resumesAt,
  })
}
