import { SECOND } from '../../../core/duration.ts'
import { hashToken, issueToken } from '../../../core/token.ts'
import { newUuid } from '../../../core/uuid.ts'
import type { Database, Transaction } from '../../../platform/database/database.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import { holdServer } from '../../connectors/mcp-servers/mcp-connectors.ts'
import { sealSecret } from '../../credentials/credential-secret.ts'
import { revokeUnstored } from '../../credentials/end-credentials.ts'
import { lockUser } from '../../credentials/lock-user.ts'
import { type PendingSecret, redeemSecrets, storePending } from '../../credentials/pending-secrets.ts'
import { recordEvent } from '../../events/record-event.ts'
import { AUTHORIZATION_CODE_TTL_MS } from '../sessions/link-session.ts'
import {
  keyOf,
  linkSessionStore,
  type SessionTimes,
  type StoredSession,
} from '../sessions/link-session-store.ts'
import { attemptStore } from './attempt-store.ts'
import { type AccountDecision, decideAccount } from './decide-account.ts'
import { linkedAccountStore } from './linked-account-store.ts'
import type { ObtainedCredential, SealedCredential } from './obtained-credential.ts'
import { grantKey, storeGrant } from './pending-grant.ts'

export type Completion =
  | { completed: true; code: string | null; scopes: string[] }
  /** `connectorRemoved`: the connector does not exist any more, or the Tool Pack does not contain it any more. */
  | { completed: false; connectorRemoved?: true }
  /** The person is asked “Replace or add?” first. */
  | { completed: false; choosing: true }

type Deps = { db: Database; vault: Vault; tokenRevokingConnectors: string[] }

const NOTHING_REPLACED: AccountDecision = { ask: false, replaces: null }
const CONNECTOR_REMOVED: Completion = { completed: false, connectorRemoved: true }

/**
 * §3: without `state` the credential is stored at once; with it, the sealed credential waits for its code to be confirmed.
 * Session, credential and event are written in one transaction. If the session is no longer open, or its connector or
 * Tool Pack no longer offers it, nothing is stored and the new token is revoked.
 */
export const completeSession = (
  deps: Deps,
  session: StoredSession,
  obtained: ObtainedCredential,
): Promise<Completion> => deps.db.transaction(tx => completeInTransaction(tx, deps, session, obtained))

/** Like completeSession, within the caller's transaction. */
export const completeInTransaction = async (
  tx: Transaction,
  deps: Deps,
  session: StoredSession,
  obtained: ObtainedCredential,
): Promise<Completion> => {
  const { serverId } = obtained
  const { organizationId } = session
  const isOffered =
    (serverId === null || (await holdServer(tx, organizationId, serverId))) &&
    (await linkSessionStore.holdPack(tx, keyOf(session), obtained.connectorSlug)) !== null
  const sealed = await sealObtained(tx, deps, session, obtained)
  if (!sealed) return { completed: false }
  const decision = isOffered ? await decide(tx, session, obtained) : NOTHING_REPLACED
  if (decision.ask) {
    await attemptStore.awaitAccount(tx, session.organizationId, obtained.attemptId, serverId)
    await storeGrant(tx, session, sealed, grantKey('account', obtained.attemptId))
    return { completed: false, choosing: true }
  }
  const { replaces } = decision
  const completion = await (!isOffered
    ? CONNECTOR_REMOVED
    : session.state === null
      ? storeCredential(tx, deps, session, { ...sealed, replaces })
      : issueCode(tx, session, { ...sealed, replaces }))
  if (completion.completed) await recordCompletion(tx, session, sealed)
  else await discard(tx, session, sealed)
  return completion
}

/** The user's row is locked, so the accounts do not change before the credential is stored. */
const decide = async (
  tx: Transaction,
  session: StoredSession,
  obtained: ObtainedCredential,
): Promise<AccountDecision> => {
  if (obtained.replaces !== undefined) return { ask: false, replaces: obtained.replaces }
  const linked = await linkedAccountStore.of(tx, session, obtained.connectorSlug)
  return decideAccount(session, obtained, linked)
}

/** Revokes a grant that is not used, for example because its session ended in the meantime. */
export const discardObtained = async (
  deps: Deps,
  session: StoredSession,
  obtained: ObtainedCredential,
): Promise<void> => {
  await deps.db.transaction(async tx => {
    const sealed = await sealObtained(tx, deps, session, obtained)
    if (sealed) await discard(tx, session, sealed)
  })
}

/**
 * The row lock serializes this with deactivation and key rotation, so the secret is sealed under the user's current key.
 * Returns null if the user was deleted.
 */
export const sealObtained = async (
  tx: Transaction,
  { vault }: Deps,
  session: StoredSession,
  obtained: ObtainedCredential,
): Promise<SealedCredential | null> => {
  const { organizationId, registeredUserId } = session
  const dataKey = await lockUser(tx, organizationId, registeredUserId)
  if (!dataKey) return null
  const userKey = await vault.openUserKey(organizationId, registeredUserId, dataKey, tx)
  const secretId = newUuid()
  const owner = { organizationId, registeredUserId, connectorSlug: obtained.connectorSlug, secretId }
  return { ...obtained, secretId, sealed: sealSecret(userKey, owner, obtained.secret) }
}

/** Stores the secret as pending under the hash of a code and redeems it at once, so that both modes share one path. */
const storeCredential = async (
  tx: Transaction,
  deps: Deps,
  session: StoredSession,
  sealed: SealedCredential,
): Promise<Completion> => {
  const completed = await linkSessionStore.complete(tx, keyOf(session), sealed)
  if (!completed) return { completed: false }
  const codeHash = hashToken(issueToken('authorizationCode', session.organizationId))
  await storePending(tx, pendingSecret(session, sealed, codeHash, completed))
  const { organizationId, mode } = session
  const redemption = { organizationId, mode, codeHash, registeredUserId: null, candidateId: newUuid() }
  const [stored] = await redeemSecrets(tx, [redemption], deps.tokenRevokingConnectors)
  if (!stored) throw new Error('the session completed but its credential was not stored')
  return { completed: true, code: null, scopes: sealed.scopes }
}

const issueCode = async (
  tx: Transaction,
  session: StoredSession,
  sealed: SealedCredential,
): Promise<Completion> => {
  const code = issueToken('authorizationCode', session.organizationId)
  const codeHash = hashToken(code)
  const lifetime = { hash: codeHash, lifetimeSeconds: AUTHORIZATION_CODE_TTL_MS / SECOND }
  const issued = await linkSessionStore.issueCode(tx, keyOf(session), sealed, lifetime)
  if (!issued) return { completed: false }
  await storePending(tx, pendingSecret(session, sealed, codeHash, issued))
  return { completed: true, code, scopes: sealed.scopes }
}

const pendingSecret = (
  session: StoredSession,
  sealed: SealedCredential,
  codeHash: Buffer,
  times: SessionTimes,
): PendingSecret => ({
  organizationId: session.organizationId,
  registeredUserId: session.registeredUserId,
  sessionId: session.id,
  mode: session.mode,
  codeHash,
  sessionMintedAt: times.mintedAt,
  expiresAt: times.expiresAt,
  ...sealed,
  method: sealed.secret.kind,
  endsInSeconds: sealed.endsInSeconds ?? null,
  replaces: sealed.replaces ?? null,
  label: session.accountLabel,
})

const recordCompletion = async (
  tx: Transaction,
  session: StoredSession,
  { attemptId, connectorSlug, scopes }: SealedCredential,
): Promise<void> => {
  await attemptStore.finish(tx, session.organizationId, attemptId, 'completed')
  await recordEvent(tx, {
    organizationId: session.organizationId,
    registeredUserId: session.registeredUserId,
    type: 'link.completed',
    payload: {
      link_session_id: session.id,
      connector_slug: connectorSlug,
      scopes,
      awaits_confirmation: session.state !== null,
    },
  })
}

const discard = async (tx: Transaction, session: StoredSession, sealed: SealedCredential): Promise<void> => {
  await attemptStore.finish(tx, session.organizationId, sealed.attemptId, 'failed', 'session_over')
  if (sealed.oauthApp === null) return
  await revokeUnstored(tx, {
    ...sealed,
    organizationId: session.organizationId,
    registeredUserId: session.registeredUserId,
  })
}
