import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '../../core/duration.ts'
import type { Secret } from '../../core/secret.ts'
import type { Egress } from '../../platform/egress/egress.ts'
import { oauthProvider } from '../connectors/oauth-party.ts'
import { OAuthError, type Party, refreshTokens, type Tokens } from '../oauth/protocol.ts'
import type { CredentialSecret } from './credential-secret.ts'
import { credentialStore } from './credential-store.ts'
import {
  type HeldCredential,
  openRow,
  placeOf,
  type RefreshDeps,
  type UsableCredential,
} from './held-credential.ts'
import { keepTokens } from './keep-tokens.ts'
import { markForReauth } from './mark-for-reauth.ts'

const BEFORE_THE_SECOND_TRY = 0.5 * SECOND

export type Lease = {
  fence: number
  /** By this process's clock. An answer to what is asked later may come when the lease is another's. */
  halfOver: number
}

/**
 * The network is asked outside any transaction. Null: the lease is another's by now, and what counts is what that one
 * stores; only the holder of the lease may give the credential up.
 */
export const refreshUnderLease = async (
  deps: RefreshDeps,
  held: HeldCredential,
  { fence, halfOver }: Lease,
): Promise<UsableCredential | null> => {
  try {
    const secret = await openRow(deps, held)
    const party = await partyOf(deps, held, secret)
    if (!party || secret.kind !== 'oauth' || !secret.refreshToken) return await giveUp(deps, held, fence)
    const ask = asking(deps.egress.onBehalfOf(held.organizationId), party, held.row.scopes)
    const { refreshToken, tenant } = secret
    const tokens = await askInTime(() => ask(refreshToken), halfOver)
    if (tokens) return await keepTokens(deps, { held, fence, tenant, ask }, tokens)
    await credentialStore.releaseLease(deps.db, placeOf(held), fence)
    return null
  } catch (error) {
    if (isInvalidGrant(error)) return giveUp(deps, held, fence)
    if (await credentialStore.releaseLease(deps.db, placeOf(held), fence)) throw error
    return null
  }
}

/** RFC 6749 §6: where no new refresh token comes, the old one stays good. */
const asking =
  (egress: Egress, party: Party, scopes: string[]) =>
  async (refreshToken: Secret): Promise<Tokens> => {
    const tokens = await refreshTokens({ egress }, party, refreshToken, scopes)
    return { ...tokens, refreshToken: tokens.refreshToken ?? refreshToken }
  }

/**
 * A server that is out for a moment is asked once more, and the callers see nothing of it. Null: this process was held up for
 * so long that another may have spent the token already; it is read anew before anybody is asked.
 */
const askInTime = async (ask: () => Promise<Tokens>, halfOver: number): Promise<Tokens | null> => {
  if (Date.now() > halfOver) return null
  try {
    return await ask()
  } catch (error) {
    if (!isUnavailable(error) || Date.now() + BEFORE_THE_SECOND_TRY > halfOver) throw error
    await delay(BEFORE_THE_SECOND_TRY)
    return ask()
  }
}

const isInvalidGrant = (error: unknown): boolean =>
  error instanceof OAuthError && error.failure.kind === 'invalid_grant'
const isUnavailable = (error: unknown): boolean =>
  error instanceof OAuthError && error.failure.kind === 'provider_unavailable'

/** The third party no longer honours the grant, unless somebody else has just been given a new one. */
const giveUp = async (
  { db }: RefreshDeps,
  held: HeldCredential,
  fence: number,
): Promise<UsableCredential | null> =>
  (await markForReauth(db, held, 'expired', fence)) ? { usable: false, reason: 'expired' } : null

const partyOf = async (
  { connectors, apps }: RefreshDeps,
  { organizationId, connectorSlug, row }: HeldCredential,
  { tenant }: CredentialSecret,
): Promise<Party | null> => {
  const app = row.oauth_app === null ? null : await apps.byId(organizationId, row.oauth_app)
  return oauthProvider(await connectors.ofApp(organizationId, connectorSlug, app), app, tenant)
}
