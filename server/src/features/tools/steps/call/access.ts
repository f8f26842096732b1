import type { AuthenticateReason } from '@carabiner/contract'
import type { Secret } from '../../../../core/secret.ts'
import type { HeldCredential, UsableCredential } from '../../../credentials/refresh-credential.ts'
import type { AdmittedServer, CallAdmission } from '../../admission/admission-rows.ts'
import type { CallableTool } from '../../admission/callable-tool.ts'

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

/** The server of a tool that is called without an account of the user; null for all other tools. */
export const ownServer = (callable: CallableTool): AdmittedServer | null => {
  if (callable.kind !== 'mcp') return null
  const { authentication } = callable.server
  return authentication === 'none' || authentication === 'organization_secret' ? callable.server : null
}

/** The account that the call uses; null if it has none. Nothing is decrypted yet. */
export const heldCredential = (
  { organizationId, userId, sharedBy, credential }: CallAdmission,
  { connector }: CallableTool,
): HeldCredential | null =>
  credential && {
    organizationId,
    registeredUserId: sharedBy ?? userId,
    connectorSlug: connector.slug,
    credential,
  }
