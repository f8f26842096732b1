import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '../../core/duration.ts'
import { newUuid } from '../../core/uuid.ts'
import type { Database, Transaction } from '../../platform/database.ts'
import type { Egress } from '../../platform/egress.ts'
import type { Log } from '../../platform/log.ts'
import type { Vault } from '../../platform/vault.ts'
import type { Connectors } from '../connectors/availability.ts'
import { oauthParty } from '../connectors/oauth-party.ts'
import { recordEvent } from '../events/record-event.ts'
import type { OAuthApps } from '../oauth/oauth-apps.ts'
import { OAuthError, type Party, refreshTokens, type Tokens } from '../oauth/protocol.ts'
import { reportBrokenSeal } from './broken-seal.ts'
import { type CredentialSecret, oauthSecret, openSecret, sealSecret } from './credential-secret.ts'
import { type CredentialRow, credentialStore } from './credential-store.ts'

/** Longer than the token endpoint may take; a node that dies holds nobody up for longer. */
const LEASE_SECONDS = 20
const POLL_INTERVAL = 0.1 * SECOND

export type HeldCredential = {
  organizationId: string
  registeredUserId: string
  connectorSlug: string
  row: CredentialRow
}

export type UsableCredential =
  | { usable: true; secret: CredentialSecret; row: CredentialRow }
  | { usable: false; reason: 'expired' | 'revoked' }

export type RefreshDeps = {
  db: Database
  vault: Vault
  egress: Egress
  connectors: Connectors
  apps: OAuthApps
  log: Log
}

const open = async (
  { vault, log }: RefreshDeps,
  held: HeldCredential,
  row: CredentialRow,
): Promise<CredentialSecret> => {
  const { organizationId, registeredUserId } = held
  try {
    const userKey = await vault.openUserKey(organizationId, registeredUserId, row.user_key)
    return openSecret(userKey, { ...held, secretId: row.secret_id }, row.sealed as Buffer)
  } catch (error) {
    throw reportBrokenSeal(log, { ...held, credentialId: row.id }, error)
  }
}

export const openCredential = async (deps: RefreshDeps, held: HeldCredential): Promise<UsableCredential> =>
  held.row.refresh_due
    ? refreshCredential(deps, held)
    : { usable: true, secret: await open(deps, held, held.row), row: held.row }

/**
 * One caller refreshes under a lease; the others, on whatever node, wait for its result. The network is asked outside
 * any transaction, and the new tokens are written only where version and fence still match: a caller that overslept its
 * lease changes nothing.
 */
export const refreshCredential = async (
  deps: RefreshDeps,
  held: HeldCredential,
): Promise<UsableCredential> => {
  const { db } = deps
  const place = { organizationId: held.organizationId, credentialId: held.row.id, version: held.row.version }
  const deadline = Date.now() + LEASE_SECONDS * SECOND
  for (;;) {
    const lease = await credentialStore.takeLease(db, place, LEASE_SECONDS)
    if (lease) return refreshUnderLease(deps, held, lease.fence)
    const current = await credentialStore.find(db, held.organizationId, held.row.id)
    if (!current || current.status !== 'active')
      return { usable: false, reason: current?.status === 'needs_reauth' ? 'expired' : 'revoked' }
    if (current.version !== held.row.version)
      return { usable: true, secret: await open(deps, held, current), row: current }
    if (Date.now() > deadline) throw new OAuthError({ kind: 'provider_timeout' })
    await delay(POLL_INTERVAL)
  }
}

const refreshUnderLease = async (
  deps: RefreshDeps,
  held: HeldCredential,
  fence: number,
): Promise<UsableCredential> => {
  try {
    const secret = await open(deps, held, held.row)
    const party = await partyOf(deps, held, secret)
    if (!party || secret.kind !== 'oauth' || !secret.refreshToken) return await giveUp(deps, held)
    const tokens = await refreshTokens(deps, party, secret.refreshToken, held.row.scopes)
    const kept = { ...tokens, refreshToken: tokens.refreshToken ?? secret.refreshToken }
    return await save(deps, held, fence, kept, secret.tenant)
  } catch (error) {
    if (error instanceof OAuthError && error.failure.kind === 'invalid_grant') return giveUp(deps, held)
    await credentialStore.releaseLease(deps.db, held.organizationId, held.row.id, fence)
    throw error
  }
}

const save = async (
  deps: RefreshDeps,
  held: HeldCredential,
  fence: number,
  tokens: Tokens,
  tenant: Record<string, string>,
): Promise<UsableCredential> => {
  const { organizationId, registeredUserId, connectorSlug } = held
  const secretId = newUuid()
  const secret = oauthSecret(tokens, tenant)
  const place = { organizationId, credentialId: held.row.id, version: held.row.version }
  const saved = await deps.db.transaction(async tx => {
    const user = await credentialStore.lockUser(tx, organizationId, registeredUserId)
    if (!user) return null
    // Keys may have been rotated while the third party answered: the user's key is the one of this moment.
    const userKey = await deps.vault.openUserKey(organizationId, registeredUserId, user.data_key, tx)
    const sealed = sealSecret(userKey, { organizationId, registeredUserId, connectorSlug, secretId }, secret)
    const row = await credentialStore.saveRefreshed(tx, place, fence, { ...tokens, secretId, sealed })
    if (!row) {
      await revokeLate(tx, held, { secretId, sealed })
      return null
    }
    const payload = { credential_id: held.row.id, connector_slug: connectorSlug }
    await recordEvent(tx, { organizationId, registeredUserId, type: 'credential.refreshed', payload })
    return { ...row, sealed, user_key: user.data_key }
  })
  // Replaced or revoked while the third party answered: what stands there now is what counts.
  if (!saved) return reread(deps, held)
  return {
    usable: true,
    secret,
    row: { ...held.row, ...saved, secret_id: secretId, scopes: tokens.scopes },
  }
}

/** The credential was ended while the third party answered: what it gave is ended there as well. */
const revokeLate = async (
  tx: Transaction,
  { organizationId, registeredUserId, connectorSlug, row }: HeldCredential,
  late: { secretId: string; sealed: Buffer },
): Promise<void> => {
  const current = await credentialStore.find(tx, organizationId, row.id)
  if (current?.status !== 'revoked') return
  await credentialStore.revokeUnstored(tx, {
    ...late,
    organizationId,
    registeredUserId,
    connectorSlug,
    oauthApp: row.oauth_app,
    account: null,
    accountId: null,
    reason: current.status_reason ?? 'deleted',
  })
}

/** The third party no longer honours the grant, unless somebody else has just been given a new one. */
const giveUp = async (deps: RefreshDeps, held: HeldCredential): Promise<UsableCredential> => {
  const marked = await markForReauth(deps.db, held, 'expired')
  return marked ? { usable: false, reason: 'expired' } : reread(deps, held)
}

const reread = async (deps: RefreshDeps, held: HeldCredential): Promise<UsableCredential> => {
  const current = await credentialStore.find(deps.db, held.organizationId, held.row.id)
  if (current?.status === 'active')
    return { usable: true, secret: await open(deps, held, current), row: current }
  return { usable: false, reason: current?.status === 'needs_reauth' ? 'expired' : 'revoked' }
}

/** The third party refused the credential itself; the next call says so and brings the link to mend it. */
export const markForReauth = (
  db: Database,
  held: HeldCredential,
  reason: 'expired' | 'revoked',
): Promise<boolean> =>
  db.transaction(async tx => {
    const place = {
      organizationId: held.organizationId,
      credentialId: held.row.id,
      version: held.row.version,
    }
    await credentialStore.lockUser(tx, held.organizationId, held.registeredUserId)
    const marked = await credentialStore.markNeedsReauth(tx, place, reason)
    if (marked) {
      const payload = { credential_id: held.row.id, connector_slug: held.connectorSlug, reason }
      await recordEvent(tx, {
        organizationId: held.organizationId,
        registeredUserId: held.registeredUserId,
        type: 'credential.needs_reauth',
        payload,
      })
    }
    return marked !== null
  })

const partyOf = async (
  { connectors, apps }: RefreshDeps,
  { organizationId, connectorSlug, row }: HeldCredential,
  { tenant }: CredentialSecret,
): Promise<Party | null> => {
  const app = row.oauth_app === null ? null : await apps.byId(organizationId, row.oauth_app)
  return oauthParty(await connectors.ofApp(organizationId, connectorSlug, app), app, tenant)
}
