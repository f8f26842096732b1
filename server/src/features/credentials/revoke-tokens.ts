import type { Database } from '../../platform/database.ts'
import type { Egress } from '../../platform/egress.ts'
import type { Log } from '../../platform/log.ts'
import type { Vault } from '../../platform/vault.ts'
import type { Connectors } from '../connectors/availability.ts'
import type { OAuthApps } from '../oauth/oauth-app.ts'
import { revokeToken } from '../oauth/protocol.ts'
import { reportBrokenSeal } from './broken-seal.ts'
import {
  type CredentialSecret,
  openForRevocation,
  openSecret,
  type SecretOwner,
} from './credential-secret.ts'
import { credentialStore, type RevocationRow } from './credential-store.ts'

const BATCH = 10

export type RevocationDeps = {
  db: Database
  vault: Vault
  egress: Egress
  connectors: Connectors
  apps: OAuthApps
  log: Log
}

/** Takes what is due until nothing is; each row ends with a receipt of what was and was not revoked. */
export const revokeDueTokens = async (deps: RevocationDeps): Promise<void> => {
  for (;;) {
    const rows = await credentialStore.takeDueRevocations(deps.db, BATCH)
    await Promise.all(rows.map(row => revokeOne(deps, row)))
    if (rows.length < BATCH) return
  }
}

const revokeOne = async (deps: RevocationDeps, row: RevocationRow): Promise<void> => {
  const { db, log } = deps
  try {
    if (row.over) await credentialStore.finishRevocation(db, row, 'gave_up')
    else await credentialStore.finishRevocation(db, row, await revokeAtThirdParty(deps, row))
  } catch (error) {
    log.warn(
      {
        error: reportBrokenSeal(log, ownerOf(row), error),
        connector: row.connector_slug,
        attempts: row.attempts,
      },
      'revocation at the third party failed; it is tried again',
    )
  }
}

const revokeAtThirdParty = async (
  deps: RevocationDeps,
  row: RevocationRow,
): Promise<'revoked' | 'not_supported'> => {
  const method = deps.connectors.find(row.connector_slug)?.authorization
  const app = row.oauth_app && deps.apps.byContext(row.oauth_app)
  if (method?.type !== 'oauth2' || !method.revocation || !app) return 'not_supported'
  const secret = await openRow(deps.vault, row)
  if (secret?.kind !== 'oauth') return 'not_supported'
  // The refresh token is what lives long; where there is none, the access token is all there is.
  await revokeToken(deps, { method, app }, secret.refreshToken ?? secret.accessToken)
  if (method.revocation.ends === 'token' && secret.refreshToken)
    await revokeToken(deps, { method, app }, secret.accessToken)
  return 'revoked'
}

const openRow = async (vault: Vault, row: RevocationRow): Promise<CredentialSecret | null> => {
  const { organization_id: organizationId, registered_user_id: registeredUserId, sealed } = row
  if (row.sealed_under === 'organization') {
    const organizationKey = await vault.organizationKeyOf(organizationId, sealed)
    return openForRevocation(organizationKey, ownerOf(row), sealed)
  }
  if (!row.data_key) return null
  const userKey = await vault.openUserKey(organizationId, registeredUserId, row.data_key)
  return openSecret(userKey, ownerOf(row), sealed)
}

const ownerOf = (row: RevocationRow): SecretOwner => ({
  organizationId: row.organization_id,
  registeredUserId: row.registered_user_id,
  connectorSlug: row.connector_slug,
  secretId: row.secret_id,
})
