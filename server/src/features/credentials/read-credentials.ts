import type { Credential, Revocation } from '@carabiner/contract'
import { Refusal } from '../../core/refusal.ts'
import { isUuid } from '../../core/uuid.ts'
import type { Database } from '../../platform/database/database.ts'
import {
  type CredentialOwner,
  type CredentialSummaryRow,
  credentialReadStore,
  type RevocationSummaryRow,
} from './credential-read-store.ts'

export const listCredentials = async (db: Database, owner: CredentialOwner): Promise<Credential[]> => {
  await requireUser(db, owner)
  return (await credentialReadStore.ofUser(db, owner)).map(toCredential)
}

export const requireCredential = async (
  db: Database,
  owner: CredentialOwner,
  credentialId: string,
): Promise<CredentialSummaryRow> => {
  await requireUser(db, owner)
  const row = isUuid(credentialId) ? await credentialReadStore.find(db, owner, credentialId) : null
  if (!row) throw new Refusal('credential_not_found')
  return row
}

export const listRevocations = async (db: Database, owner: CredentialOwner): Promise<Revocation[]> => {
  await requireUser(db, owner)
  return (await credentialReadStore.revocationsOfUser(db, owner)).map(toRevocation)
}

const requireUser = async (db: Database, owner: CredentialOwner): Promise<void> => {
  if (!isUuid(owner.registeredUserId) || !(await credentialReadStore.userExists(db, owner)))
    throw new Refusal('registered_user_not_found')
}

export const toCredential = (row: CredentialSummaryRow): Credential => ({
  credential_id: row.id,
  registered_user_id: row.registered_user_id,
  connector_slug: row.connector_slug,
  method: row.oauth_app === null ? 'api_key' : 'oauth2',
  status: row.status,
  status_reason: row.status_reason,
  account: row.account,
  account_id: row.account_id,
  scopes: row.scopes,
  oauth_app: row.oauth_app === null ? null : isUuid(row.oauth_app) ? 'own' : 'service',
  access_expires_at: row.access_expires_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
  checked_at: row.checked_at?.toISOString() ?? null,
})

const toRevocation = (row: RevocationSummaryRow): Revocation => ({
  credential_id: row.credential_id,
  connector_slug: row.connector_slug,
  account: row.account,
  reason: row.reason,
  outcome: row.outcome ?? 'pending',
  attempts: row.attempts,
  queued_at: row.queued_at.toISOString(),
  finished_at: row.finished_at?.toISOString() ?? null,
})
