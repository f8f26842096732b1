import type { Database } from '../../platform/database/database.ts'
import type { Egress } from '../../platform/egress/egress.ts'
import type { Log } from '../../platform/log.ts'
import type { SingleFlight } from '../../platform/single-flight.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import type { Connectors } from '../connectors/availability.ts'
import type { OAuthApps } from '../oauth/oauth-apps.ts'
import { type CredentialSecret, unsealSecret } from './credential-secret.ts'
import type { StoredCredential } from './credential-store.ts'
import type { CountRefresh } from './refresh-metrics.ts'
import { reportBrokenSeal } from './report-broken-seal.ts'

/** A credential as it was read. Its version shows whether it is still current. */
export type HeldCredential = {
  organizationId: string
  registeredUserId: string
  connectorSlug: string
  credential: StoredCredential
}

export type UsableCredential =
  | { usable: true; secret: CredentialSecret; credential: StoredCredential }
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
  countRefresh: CountRefresh
}

/** The reason, reported by the next tool call, why a credential that is not active must be linked again. */
export const reasonOf = (
  credential: Pick<StoredCredential, 'status' | 'statusReason'> | null,
): 'expired' | 'revoked' =>
  credential?.status === 'needs_reauth' && credential.statusReason === 'expired' ? 'expired' : 'revoked'

export const credentialVersion = ({ organizationId, credential }: HeldCredential) => ({
  organizationId,
  credentialId: credential.id,
  version: credential.version,
})

/** Decrypts the given credential, which may be newer than the held one. */
export const decryptCredential = async (
  { vault, log }: Pick<RefreshDeps, 'vault' | 'log'>,
  held: HeldCredential,
  credential: StoredCredential = held.credential,
): Promise<CredentialSecret> => {
  const { organizationId, registeredUserId } = held
  try {
    const userKey = await vault.openUserKey(organizationId, registeredUserId, credential.userKey)
    return unsealSecret(userKey, { ...held, secretId: credential.secretId }, credential.sealed as Buffer)
  } catch (error) {
    throw reportBrokenSeal(log, { ...held, credentialId: credential.id }, error)
  }
}
