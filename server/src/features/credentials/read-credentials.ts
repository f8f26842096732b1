import type { Credential, CredentialHealth, Revocation } from '@carabiner/contract'
import { Refusal } from '../../core/refusal.ts'
import { isUuid } from '../../core/uuid.ts'
import type { Database } from '../../platform/database/database.ts'
import {
  type CredentialOwner,
  type CredentialSummary,
  credentialReadStore,
  type RevocationSummary,
  type SharedCredential,
} from './credential-read-store.ts'
import type { HealthReader } from './risks/health-reader.ts'

export type ReadDeps = { db: Database; health: HealthReader }

export const listCredentials = async (
  { db, health }: ReadDeps,
  owner: CredentialOwner,
): Promise<Credential[]> => {
  await requireUser(db, owner)
  return (await credentialReadStore.ofUser(db, owner)).map(found => toCredential(health, found))
}

/** The health of the user's account of a connector, or of the account in most need of attention. Null: there is none. */
export const healthOfAccount = async (
  { db, health }: ReadDeps,
  owner: CredentialOwner,
  { slug, credentialId }: { slug: string; credentialId: string | null },
): Promise<CredentialHealth | null> => {
  const accounts = (await credentialReadStore.ofUser(db, owner)).filter(
    ({ connectorSlug, status }) => connectorSlug === slug && status !== 'revoked',
  )
  const named = accounts.filter(({ id }) => id === credentialId)
  const found = (named.length > 0 ? named : accounts).map(account => health.healthOf(account))
  return found.toSorted((a, b) => URGENCY.indexOf(a.state) - URGENCY.indexOf(b.state))[0] ?? null
}

const URGENCY: CredentialHealth['state'][] = ['needs_reauth', 'at_risk', 'healthy']

/** Accounts of others that a user may use in every Tool Pack. */
export const listSharedWith = (db: Database, user: CredentialOwner): Promise<SharedCredential[]> =>
  credentialReadStore.sharedWith(db, user)

export const requireCredential = async (
  db: Database,
  owner: CredentialOwner,
  credentialId: string,
): Promise<CredentialSummary> => {
  await requireUser(db, owner)
  const found = await findCredential(db, owner, credentialId)
  if (!found) throw new Refusal('credential_not_found')
  return found
}

export const findCredential = async (
  db: Database,
  owner: CredentialOwner,
  credentialId: string,
): Promise<CredentialSummary | null> =>
  isUuid(credentialId) ? credentialReadStore.find(db, owner, credentialId) : null

export const deleteCredential = async (
  db: Database,
  owner: CredentialOwner,
  credentialId: string,
  reason: 'deleted' | 'disconnected_by_user' = 'deleted',
): Promise<void> => {
  const { id } = await requireCredential(db, owner, credentialId)
  const deleted = await db.transaction(tx => credentialReadStore.revoke(tx, owner, id, reason))
  if (!deleted) throw new Refusal('credential_not_found')
}

export const listRevocations = async (db: Database, owner: CredentialOwner): Promise<Revocation[]> => {
  await requireUser(db, owner)
  return (await credentialReadStore.revocationsOfUser(db, owner)).map(toRevocation)
}

const requireUser = async (db: Database, owner: CredentialOwner): Promise<void> => {
  if (!isUuid(owner.registeredUserId) || !(await credentialReadStore.userExists(db, owner)))
    throw new Refusal('registered_user_not_found')
}

export const toCredential = (health: HealthReader, credential: CredentialSummary): Credential => ({
  credential_id: credential.id,
  registered_user_id: credential.registeredUserId,
  connector_slug: credential.connectorSlug,
  label: credential.label,
  method: credential.method,
  status: credential.status,
  status_reason: credential.statusReason,
  health: health.healthOf(credential),
  account: credential.account,
  account_id: credential.accountId,
  scopes: credential.scopes,
  oauth_app: credential.oauthApp === null ? null : isUuid(credential.oauthApp) ? 'own' : 'service',
  access_expires_at: credential.accessExpiresAt?.toISOString() ?? null,
  shared_with: credential.sharedWith,
  created_at: credential.createdAt.toISOString(),
  updated_at: credential.updatedAt.toISOString(),
  checked_at: credential.checkedAt?.toISOString() ?? null,
  paused_until: credential.pausedUntil?.toISOString() ?? null,
})

const toRevocation = (revocation: RevocationSummary): Revocation => ({
  credential_id: revocation.credentialId,
  connector_slug: revocation.connectorSlug,
  account: revocation.account,
  reason: revocation.reason,
  outcome: revocation.outcome ?? 'pending',
  attempts: revocation.attempts,
  queued_at: revocation.queuedAt.toISOString(),
  finished_at: revocation.finishedAt?.toISOString() ?? null,
})
