import { type ConnectorFile, oauthMethod } from '@carabiner/contract'
import type { Database } from '../../platform/database/database.ts'
import type { Egress } from '../../platform/egress/egress.ts'
import type { Log } from '../../platform/log.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import type { Connectors } from '../connectors/availability.ts'
import { oauthProvider } from '../connectors/oauth-party.ts'
import type { OAuthApps } from '../oauth/oauth-apps.ts'
import { type Party, revokeToken } from '../oauth/protocol.ts'
import { reportBrokenSeal } from './broken-seal.ts'
import { type CredentialSecret, openForRevocation, openSecret } from './credential-secret.ts'
import { credentialStore, type RevocationOutcome, type RevocationRow } from './credential-store.ts'

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
        error: reportBrokenSeal(log, placeOf(row), error),
        connector: row.connector_slug,
        attempts: row.attempts,
      },
      'revocation at the third party failed; it is tried again',
    )
  }
}

const revokeAtThirdParty = async (deps: RevocationDeps, row: RevocationRow): Promise<RevocationOutcome> => {
  const { secret, account } = await openRow(deps.vault, row)
  if (secret?.kind !== 'oauth' || row.oauth_app === null) return 'not_supported'
  const app = await deps.apps.byId(row.organization_id, row.oauth_app)
  const connector = await deps.connectors.ofApp(row.organization_id, row.connector_slug, app)
  const party = oauthProvider(connector, app, secret.tenant)
  const { revocation } = party?.method ?? {}
  if (!party || !revocation) return 'not_supported'
  if (await isStillNeeded(deps, row, { secret, account }, party)) return 'kept_shared'
  // The refresh token is what lives long; where there is none, the access token is all there is.
  const first = revocation.token === 'access' ? null : secret.refreshToken
  const outbound = { egress: deps.egress.onBehalfOf(row.organization_id) }
  await revokeToken(outbound, party, first ?? secret.accessToken)
  if (revocation.ends === 'token' && first && revocation.token !== 'refresh')
    await revokeToken(outbound, party, secret.accessToken)
  return 'revoked'
}

type OAuthSecret = Extract<CredentialSecret, { kind: 'oauth' }>

/**
 * Some third parties end everything between an app and an account with one token, and some hand out the same token
 * again. What a living credential works with is not revoked, whoever it belongs to.
 */
const isStillNeeded = async (
  deps: RevocationDeps,
  row: RevocationRow,
  { secret, account }: { secret: OAuthSecret; account: string | null },
  party: Party,
): Promise<boolean> => {
  const { db, vault } = deps
  if (party.method.revocation?.ends === 'account' && account !== null)
    return credentialStore.sharesGrant(db, await appsOfClient(deps, row, party), account)
  const current = await credentialStore.currentSecretOf(db, row)
  if (!current) return false
  const { secret: living } = await openRow(vault, { ...row, ...current, sealed_under: 'user' })
  return living?.kind === 'oauth' && sharesToken(living, secret)
}

/** One client may serve several connectors of a vendor: they are told by the endpoint at which the vendor ends a grant. */
const appsOfClient = async (
  { apps, connectors }: RevocationDeps,
  row: RevocationRow,
  { app }: Party,
): Promise<string[]> => {
  const endOf = (connector: ConnectorFile | null) => connector && oauthMethod(connector)?.revocation?.endpoint
  const end = endOf(connectors.findShipped(row.connector_slug))
  const siblings = connectors.catalog.all().filter(connector => end && endOf(connector) === end)
  const slugs = siblings.map(({ slug }) => slug)
  return [app.id, ...(await apps.ofClient(row.organization_id, slugs, app.clientId))]
}

const sharesToken = (a: OAuthSecret, b: OAuthSecret): boolean =>
  a.accessToken.reveal() === b.accessToken.reveal() ||
  (a.refreshToken !== null && a.refreshToken.reveal() === b.refreshToken?.reveal())

type OpenedRow = { secret: CredentialSecret | null; account: string | null }

const openRow = async (vault: Vault, row: RevocationRow): Promise<OpenedRow> => {
  const { organization_id: organizationId, registered_user_id: registeredUserId, sealed } = row
  if (registeredUserId === null) {
    const organizationKey = await vault.organizationKeyOf(organizationId, sealed)
    return openForRevocation(organizationKey, placeOf(row), sealed)
  }
  const account = row.account_id ?? row.account
  if (!row.data_key) return { secret: null, account }
  const userKey = await vault.openUserKey(organizationId, registeredUserId, row.data_key)
  return { secret: openSecret(userKey, { ...placeOf(row), registeredUserId }, sealed), account }
}

const placeOf = (row: RevocationRow) => ({
  organizationId: row.organization_id,
  registeredUserId: row.registered_user_id,
  connectorSlug: row.connector_slug,
  secretId: row.secret_id,
})
