import { type ConnectorFile, oauthMethod } from '@carabiner/contract'
import { isUuid } from '../../core/uuid.ts'
import type { Cells } from '../../platform/cells.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Egress } from '../../platform/egress/egress.ts'
import type { Log } from '../../platform/log.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import type { Connectors } from '../connectors/availability.ts'
import { oauthProvider } from '../connectors/oauth-provider.ts'
import type { OAuthApps } from '../oauth/oauth-apps.ts'
import { type OAuthProvider, revokeToken } from '../oauth/protocol.ts'
import {
  type CredentialSecret,
  type OAuthSecret,
  unsealForRevocation,
  unsealSecret,
} from './credential-secret.ts'
import { reportBrokenSeal } from './report-broken-seal.ts'
import { type PendingRevocation, type RevocationOutcome, revocationStore } from './revocation-store.ts'

const BATCH = 10

export type RevocationDeps = {
  db: Database
  vault: Vault
  egress: Egress
  connectors: Connectors
  apps: OAuthApps
  cells: Cells | null
  log: Log
}

/** Processes all due revocations; each one records whether the token was revoked. */
export const revokeDueTokens = async (deps: RevocationDeps): Promise<void> => {
  for (;;) {
    const due = await revocationStore.takeDue(deps.db, BATCH)
    await Promise.all(due.map(pending => revokeOne(deps, pending)))
    if (due.length < BATCH) return
  }
}

const revokeOne = async (deps: RevocationDeps, pending: PendingRevocation): Promise<void> => {
  const { db, log } = deps
  try {
    if (pending.expired) await revocationStore.finish(db, pending, 'gave_up')
    else await revocationStore.finish(db, pending, await revokeAtProvider(deps, pending))
  } catch (error) {
    log.warn(
      {
        error: reportBrokenSeal(log, secretLocation(pending), error),
        connector: pending.connectorSlug,
        attempts: pending.attempts,
      },
      'revocation at the provider failed; it will be retried',
    )
  }
}

const revokeAtProvider = async (
  deps: RevocationDeps,
  pending: PendingRevocation,
): Promise<RevocationOutcome> => {
  const { secret, account } = await decryptRevocation(deps.vault, pending)
  if (secret?.kind !== 'oauth2' || pending.oauthApp === null) return 'not_supported'
  const app = await deps.apps.byId(pending.organizationId, pending.oauthApp)
  const connector = await deps.connectors.ofApp(pending.organizationId, pending.connectorSlug, app)
  const provider = oauthProvider(connector, app, secret.tenant)
  const { revocation } = provider?.method ?? {}
  if (!provider || !revocation) return 'not_supported'
  if (await isInUse(deps, pending, { secret, account }, provider)) return 'kept_shared'
  // Revoke the long-lived refresh token if there is one, otherwise the access token.
  const first = revocation.token === 'access' ? null : secret.refreshToken
  const outbound = { egress: deps.egress.onBehalfOf(pending.organizationId) }
  await revokeToken(outbound, provider, first ?? secret.accessToken)
  if (revocation.ends === 'token' && first && revocation.token !== 'refresh')
    await revokeToken(outbound, provider, secret.accessToken)
  return 'revoked'
}

/**
 * Some providers revoke the whole grant between an app and an account with one token, and some issue the same token again.
 * A token that an active credential depends on is not revoked, whichever user it belongs to. The service's own apps are the same in every
 * cell, and the credentials of other cells are unknown here, so that a grant to such an app may be in use (decision 27).
 */
const isInUse = async (
  deps: RevocationDeps,
  pending: PendingRevocation,
  { secret, account }: { secret: OAuthSecret; account: string | null },
  provider: OAuthProvider,
): Promise<boolean> => {
  const { db, vault } = deps
  if (provider.method.revocation?.ends === 'account') {
    const sharing = await appsSharingClient(deps, pending, provider)
    if (deps.cells && sharing.some(id => !isUuid(id))) return true
    if (account !== null) return revocationStore.sharesGrant(db, sharing, account)
  }
  for (const current of await revocationStore.currentSecretsOf(db, pending)) {
    const { secret: active } = await decryptRevocation(vault, { ...pending, ...current, sealedUnder: 'user' })
    if (active?.kind === 'oauth2' && sharesToken(active, secret)) return true
  }
  return false
}

/** One OAuth client may serve several connectors of a vendor; they are recognized by their common revocation endpoint. */
const appsSharingClient = async (
  { apps, connectors }: RevocationDeps,
  pending: PendingRevocation,
  { app }: OAuthProvider,
): Promise<string[]> => {
  const endpointOf = (connector: ConnectorFile | null) =>
    connector && oauthMethod(connector)?.revocation?.endpoint
  const endpoint = endpointOf(connectors.findShipped(pending.connectorSlug))
  const siblings = connectors.catalog
    .all()
    .filter(connector => endpoint && endpointOf(connector) === endpoint)
  const slugs = siblings.map(({ slug }) => slug)
  return [app.id, ...(await apps.ofClient(pending.organizationId, slugs, app.clientId))]
}

const sharesToken = (a: OAuthSecret, b: OAuthSecret): boolean =>
  a.accessToken.reveal() === b.accessToken.reveal() ||
  (a.refreshToken !== null && a.refreshToken.reveal() === b.refreshToken?.reveal())

type DecryptedRevocation = { secret: CredentialSecret | null; account: string | null }

const decryptRevocation = async (vault: Vault, pending: PendingRevocation): Promise<DecryptedRevocation> => {
  const { organizationId, registeredUserId, sealed } = pending
  if (registeredUserId === null) {
    const organizationKey = await vault.organizationKeyOf(organizationId, sealed)
    return unsealForRevocation(organizationKey, secretLocation(pending), sealed)
  }
  const account = pending.accountId ?? pending.account
  if (!pending.dataKey) return { secret: null, account }
  const userKey = await vault.openUserKey(organizationId, registeredUserId, pending.dataKey)
  return { secret: unsealSecret(userKey, { ...secretLocation(pending), registeredUserId }, sealed), account }
}

const secretLocation = (pending: PendingRevocation) => ({
  organizationId: pending.organizationId,
  registeredUserId: pending.registeredUserId,
  connectorSlug: pending.connectorSlug,
  secretId: pending.secretId,
})
