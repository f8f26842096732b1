import {
  type CredentialSecret,
  type SecretOwner,
  unsealSecret,
} from '../../src/features/credentials/credential-secret.ts'
import type { DataKey } from '../../src/platform/vault/sealing.ts'
import type { TestService } from './test-service.ts'

export type StoredSecret = {
  credentialId: string
  key: DataKey
  owner: SecretOwner
  secret: CredentialSecret
}

/** The decrypted credential of a user who has connected Notes; the first one if there are several. */
export const readStoredSecret = async (
  t: TestService,
  organizationId: string,
  registeredUserId: string,
): Promise<StoredSecret> => {
  const [row] = await t.query(
    `select c.id, c.secret_id, c.sealed, u.data_key from credentials c join registered_users u
       on u.organization_id = c.organization_id and u.id = c.registered_user_id
     where c.organization_id = $1 and u.id = $2 and c.connector_slug = 'sandbox-notes' order by c.created_at limit 1`,
    [organizationId, registeredUserId],
  )
  const key = await t.service.features.vault.openUserKey(organizationId, registeredUserId, row.data_key)
  const owner = {
    organizationId,
    registeredUserId,
    connectorSlug: 'sandbox-notes',
    secretId: row.secret_id as string,
  }
  return { credentialId: row.id, key, owner, secret: unsealSecret(key, owner, row.sealed) }
}
