import type { Database } from '../../platform/database/database.ts'
import type { Egress } from '../../platform/egress/egress.ts'
import type { Log } from '../../platform/log.ts'
import type { SingleFlight } from '../../platform/single-flight.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import type { Connectors } from '../connectors/availability.ts'
import type { OAuthApps } from '../oauth/oauth-apps.ts'
import { type CredentialSecret, unsealSecret } from './credential-secret.ts'
import type { CredentialRow } from './credential-store.ts'
import { reportBrokenSeal } from './report-broken-seal.ts'

/** A credential as it was read. Its version shows whether it is still current. */
export type HeldCredential = {
  organizationId: string
  registeredUserId: string
  connectorSlug: string
  row: CredentialRow
}

export type UsableCredential =
  | { usable: true; secret: CredentialSecret; row: CredentialRow }
  | { usable: false; reason: 'expired' | 'revoked' }

export type Refreshing = SingleFlight<UsableCredential>

export type RefreshDeps = {
  db: Database
  vault: Vault
  egress: Egress
  connectors: Connectors
  apps: OAuthApps
  log: Log
  /** The refreshes in flight in this process. */
  refreshing: Refreshing
}

/** The reason, reported by the next tool call, why a credential that is not active must be linked again. */
export const reasonOf = (
  row: Pick<CredentialRow, 'status' | 'status_reason'> | null,
): 'expired' | 'revoked' =>
  row?.status === 'needs_reauth' && row.status_reason === 'expired' ? 'expired' : 'revoked'

export const credentialVersion = ({ organizationId, row }: HeldCredential) => ({
  organizationId,
  credentialId: row.id,
  version: row.version,
})

/** Decrypts the given row, which may be newer than the held one. */
export const decryptCredential = async (
  { vault, log }: Pick<RefreshDeps, 'vault' | 'log'>,
  held: HeldCredential,
  row: CredentialRow = held.row,
): Promise<CredentialSecret> => {
  const { organizationId, registeredUserId } = held
  try {
    const userKey = await vault.openUserKey(organizationId, registeredUserId, row.user_key)
    return unsealSecret(userKey, { ...held, secretId: row.secret_id }, row.sealed as Buffer)
  } catch (error) {
    throw reportBrokenSeal(log, { ...held, credentialId: row.id }, error)
  }
}
