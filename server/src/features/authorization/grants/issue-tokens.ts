import { hash } from 'node:crypto'
import type { GrantEnding } from '@carabiner/contract'
import { DAY, HOUR, MINUTE, SECOND } from '../../../core/duration.ts'
import { Secret } from '../../../core/secret.ts'
import { hashToken, issueToken, parseToken, type Token } from '../../../core/token.ts'
import { newUuid } from '../../../core/uuid.ts'
import type { Database, Queryable } from '../../../platform/database/database.ts'
import { recordEvent } from '../../events/record-event.ts'
import {
  type GrantOwner,
  grantStore,
  type NewTokens,
  type StoredGrant,
  type TokenRequest,
} from './grant-store.ts'

/** Clients exchange a code at once. */
const CODE_LIFETIME_MS = 2 * MINUTE
const ACCESS_TOKEN_LIFETIME_MS = HOUR
/** Renewed with each use. */
const REFRESH_TOKEN_LIFETIME_MS = 30 * DAY
/**
 * Sessions of one client that share its tokens refresh at the same time, and a response may be lost. For this time after the first use, the
 * client may use a refresh token again (decision 57).
 */
const REFRESH_REPEAT_MS = 30 * SECOND
const MAX_REFRESH_REPEATS = 3
/** Then the user signs in again, so that a person who has left the organization loses access. */
const GRANT_LIFETIME_MS = 90 * DAY

/** RFC 6749 §5.1. `refreshToken`: null for a grant that is not refreshed. */
export type IssuedTokens = { accessToken: Secret; refreshToken: Secret | null; expiresInSeconds: number }

/** Plaintext tokens exist only here; their hashes are stored. */
const newTokens = (organizationId: string, refreshes = true): { stored: NewTokens; issued: IssuedTokens } => {
  const access = issueToken('accessToken', organizationId)
  const refresh = refreshes ? issueToken('refreshToken', organizationId) : null
  return {
    stored: {
      accessHash: hashToken(access),
      refreshHash: refresh && hashToken(refresh),
      accessLifetimeSeconds: ACCESS_TOKEN_LIFETIME_MS / SECOND,
      refreshLifetimeSeconds: REFRESH_TOKEN_LIFETIME_MS / SECOND,
    },
    issued: {
      accessToken: new Secret(access),
      refreshToken: refresh && new Secret(refresh),
      expiresInSeconds: ACCESS_TOKEN_LIFETIME_MS / SECOND,
    },
  }
}

type AllowedClient = { toolPackId: string; clientId: string; clientName: string }

/** The user has agreed: returns the authorization code, or null if the user is inactive. */
export const allowClient = async (
  tx: Queryable,
  owner: { organizationId: string; registeredUserId: string },
  client: AllowedClient & { codeChallenge: string; redirectUri: string },
): Promise<Secret | null> => {
  const code = issueToken('grantCode', owner.organizationId)
  const { toolPackId, clientId, clientName, codeChallenge, redirectUri } = client
  const grant = await grantStore.insert(tx, owner, {
    id: newUuid(),
    toolPackId,
    clientId,
    clientName,
    lifetimeSeconds: GRANT_LIFETIME_MS / SECOND,
    code: {
      hash: hashToken(code),
      challenge: codeChallenge,
      redirectUri,
      lifetimeSeconds: CODE_LIFETIME_MS / SECOND,
    },
  })
  return grant && new Secret(code)
}

/** Exchanges a code for tokens. A code that was used before ends its grant (RFC 6749 §4.1.2). Null: invalid grant. */
export const redeemCode = async (
  db: Database,
  request: TokenRequest & { code: string; codeVerifier: string; redirectUri: string },
): Promise<IssuedTokens | null> => {
  const code = parseToken('grantCode', request.code)
  if (!code) return null
  const codeHash = hashToken(code)
  const { stored, issued } = newTokens(request.organizationId)
  return db.transaction(async tx => {
    const codeChallenge = hash('sha256', request.codeVerifier, 'base64url')
    const grant = await grantStore.redeemCode(tx, { ...request, codeHash, codeChallenge }, stored)
    if (grant) {
      await recordGrant(tx, request.organizationId, grant)
      return issued
    }
    const replayed = await grantStore.endReplayedCode(tx, request.organizationId, codeHash)
    if (replayed) await recordEnd(tx, request.organizationId, replayed, 'code_replayed')
    return null
  })
}

/**
 * RFC 9700 §4.14: each refresh token is used once, and by its client a few times more within seconds. Any other reuse means that it was
 * copied, so the whole grant ends. Null: invalid grant.
 */
export const refreshGrant = async (
  db: Database,
  request: TokenRequest & { refreshToken: string },
): Promise<IssuedTokens | null> => {
  const token = parseToken('refreshToken', request.refreshToken)
  if (!token) return null
  const repeats = { repeatSeconds: REFRESH_REPEAT_MS / SECOND, maxRepeats: MAX_REFRESH_REPEATS }
  const presented = { ...request, ...repeats, usedHash: hashToken(token) }
  const { stored, issued } = newTokens(request.organizationId)
  return db.transaction(async tx => {
    if (await grantStore.rotateRefreshToken(tx, presented, stored)) return issued
    const reused = await grantStore.endReusedToken(tx, presented)
    if (reused) await recordEnd(tx, request.organizationId, reused, 'refresh_token_reused')
    return null
  })
}

/** RFC 7009. An unknown token is not an error (§2.2). */
export const revokeToken = async (
  db: Database,
  { organizationId, clientId, token }: { organizationId: string; clientId: string; token: string },
): Promise<void> => {
  const parsed: Token | null = parseToken('accessToken', token) ?? parseToken('refreshToken', token)
  if (!parsed) return
  await db.transaction(async tx => {
    const ended = await grantStore.endByToken(tx, organizationId, clientId, hashToken(parsed))
    if (ended) await recordEnd(tx, organizationId, ended, 'by_client')
  })
}

/** Takes effect on the next request on every node, because tokens are not cached. False if there is no such grant. */
export const endGrant = (
  db: Database,
  owner: GrantOwner,
  id: string,
  reason: Extract<GrantEnding, 'revoked' | 'by_user'>,
): Promise<boolean> =>
  db.transaction(async tx => {
    const ended = await grantStore.end(tx, owner, id)
    if (ended) await recordEnd(tx, owner.organizationId, ended, reason)
    return ended !== null
  })

const payloadOf = ({ id, toolPackId, clientId, clientName }: StoredGrant) => ({
  grant_id: id,
  tool_pack_id: toolPackId,
  client_id: clientId,
  client_name: clientName,
})

const recordGrant = (tx: Queryable, organizationId: string, grant: StoredGrant): Promise<void> =>
  recordEvent(tx, {
    organizationId,
    registeredUserId: grant.registeredUserId,
    type: 'grant.created',
    payload: payloadOf(grant),
  })

const recordEnd = (
  tx: Queryable,
  organizationId: string,
  grant: StoredGrant,
  reason: GrantEnding,
): Promise<void> =>
  recordEvent(tx, {
    organizationId,
    registeredUserId: grant.registeredUserId,
    type: 'grant.revoked',
    payload: { ...payloadOf(grant), reason },
  })

type AssertedAccess = AllowedClient & {
  organizationId: string
  registeredUserId: string
  assertionHash: Buffer
  assertionLifetimeSeconds: number
}

/** The identity provider has decided for the user: returns an access token without a refresh token. Null: invalid grant. */
export const issueForAssertion = (
  db: Database,
  request: TokenRequest & AssertedAccess,
): Promise<IssuedTokens | null> => {
  const { organizationId, assertionHash, assertionLifetimeSeconds, toolPackId, clientId, clientName } =
    request
  const { stored, issued } = newTokens(organizationId, false)
  const id = newUuid()
  return db.transaction(async tx => {
    if (!(await grantStore.useAssertion(tx, organizationId, assertionHash, assertionLifetimeSeconds)))
      return null
    const grant = await grantStore.insert(tx, request, {
      id,
      toolPackId,
      clientId,
      clientName,
      lifetimeSeconds: ACCESS_TOKEN_LIFETIME_MS / SECOND,
      code: null,
    })
    if (!grant || !(await grantStore.issue(tx, { ...request, id }, stored))) return null
    await recordGrant(tx, organizationId, grant)
    return issued
  })
}
