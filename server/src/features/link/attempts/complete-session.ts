import { SECOND } from '../../../core/duration.ts'
import { hashToken, issueToken } from '../../../core/token.ts'
import { newUuid } from '../../../core/uuid.ts'
import type { Database, Transaction } from '../../../platform/database/database.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import { holdServer } from '../../connectors/mcp-servers/mcp-connectors.ts'
import { type CredentialSecret, sealSecret } from '../../credentials/credential-secret.ts'
import { revokeUnstored } from '../../credentials/end-credentials.ts'
import { lockUser } from '../../credentials/lock-user.ts'
import { keepWaiting, redeemSecrets, type WaitingSecret } from '../../credentials/waiting-secrets.ts'
import { recordEvent } from '../../events/record-event.ts'
import { AUTHORIZATION_CODE_LIFETIME } from '../sessions/link-session.ts'
import {
  type CompletedRow,
  keyOf,
  linkSessionStore,
  type SessionRow,
} from '../sessions/link-session-store.ts'
import { attemptStore } from './attempt-store.ts'

/** What a finished authorization brought. */
export type Obtained = {
  attemptId: string
  connectorSlug: string
  /** The MCP server that it is for, where it is for one: it must still be there. */
  serverId: string | null
  secret: CredentialSecret
  scopes: string[]
  account: string | null
  accountId: string | null
  oauthApp: string | null
  expiresInSeconds: number | null
}

export type Completion =
  | { completed: true; code: string | null; scopes: string[] }
  | { completed: false; connectorGone?: true }

export type Sealed = Obtained & { secretId: string; sealed: Buffer }
type Deps = { db: Database; vault: Vault; tokenRevokingConnectors: string[] }

const CONNECTOR_GONE: Completion = { completed: false, connectorGone: true }

/**
 * §3: without `state` the credential is stored now; with it, it waits sealed beside a code. Either way session, credential
 * and event are one transaction, and a session that is no longer open, or whose connector is gone, stores nothing: its
 * fresh token is revoked.
 */
export const completeSession = (deps: Deps, session: SessionRow, obtained: Obtained): Promise<Completion> =>
  deps.db.transaction(tx => completeWithin(tx, deps, session, obtained))

/** The same, as a part of the caller's transaction. */
export const completeWithin = async (
  tx: Transaction,
  deps: Deps,
  session: SessionRow,
  obtained: Obtained,
): Promise<Completion> => {
  const { serverId } = obtained
  const inPlace = serverId === null || (await holdServer(tx, session.organization_id, serverId))
  const sealed = await sealObtained(tx, deps, session, obtained)
  if (!sealed) return { completed: false }
  const completion = await (!inPlace
    ? CONNECTOR_GONE
    : session.state === null
      ? storeNow(tx, deps, session, sealed)
      : issueCode(tx, session, sealed))
  if (completion.completed) await recordCompletion(tx, session, sealed)
  else await discard(tx, session, sealed)
  return completion
}

/** Where a grant came to nothing, such as for a session that ended meanwhile: it is not left lying at the third party. */
export const discardObtained = async (deps: Deps, session: SessionRow, obtained: Obtained): Promise<void> => {
  await deps.db.transaction(async tx => {
    const sealed = await sealObtained(tx, deps, session, obtained)
    if (sealed) await discard(tx, session, sealed)
  })
}

/**
 * The lock makes a deactivation come wholly before this, or wholly after, and a rotation of keys too: what is sealed here is
 * under the key that the user has now. Null: the user is gone.
 */
export const sealObtained = async (
  tx: Transaction,
  { vault }: Deps,
  session: SessionRow,
  obtained: Obtained,
): Promise<Sealed | null> => {
  const { organization_id: organizationId, registered_user_id: registeredUserId } = session
  const dataKey = await lockUser(tx, organizationId, registeredUserId)
  if (!dataKey) return null
  const userKey = await vault.openUserKey(organizationId, registeredUserId, dataKey, tx)
  const secretId = newUuid()
  const owner = { organizationId, registeredUserId, connectorSlug: obtained.connectorSlug, secretId }
  return { ...obtained, secretId, sealed: sealSecret(userKey, owner, obtained.secret) }
}

/** Both ways keep the secret waiting under the hash of a code; without a `state` it is redeemed in the same breath. */
const storeNow = async (
  tx: Transaction,
  deps: Deps,
  session: SessionRow,
  sealed: Sealed,
): Promise<Completion> => {
  const completed = await linkSessionStore.complete(tx, keyOf(session), sealed)
  if (!completed) return { completed: false }
  const codeHash = hashToken(issueToken('authorizationCode'))
  await keepWaiting(tx, waitingSecret(session, sealed, codeHash, completed))
  const { organization_id: organizationId, mode } = session
  const redemption = { organizationId, mode, codeHash, registeredUserId: null, candidateId: newUuid() }
  const [stored] = await redeemSecrets(tx, [redemption], deps.tokenRevokingConnectors)
  if (!stored) throw new Error('a credential was not stored although its session completed')
  return { completed: true, code: null, scopes: sealed.scopes }
}

const issueCode = async (tx: Transaction, session: SessionRow, sealed: Sealed): Promise<Completion> => {
  const code = issueToken('authorizationCode')
  const codeHash = hashToken(code)
  const lifetime = { hash: codeHash, lifetimeSeconds: AUTHORIZATION_CODE_LIFETIME / SECOND }
  const issued = await linkSessionStore.issueCode(tx, keyOf(session), sealed, lifetime)
  if (!issued) return { completed: false }
  await keepWaiting(tx, waitingSecret(session, sealed, codeHash, issued))
  return { completed: true, code, scopes: sealed.scopes }
}

const waitingSecret = (
  session: SessionRow,
  sealed: Sealed,
  codeHash: Buffer,
  row: CompletedRow,
): WaitingSecret => ({
  organizationId: session.organization_id,
  registeredUserId: session.registered_user_id,
  sessionId: session.id,
  mode: session.mode,
  codeHash,
  sessionMintedAt: row.minted_at,
  expiresAt: row.expires_at,
  ...sealed,
})

const recordCompletion = async (
  tx: Transaction,
  session: SessionRow,
  { attemptId, connectorSlug, scopes }: Sealed,
): Promise<void> => {
  await attemptStore.finish(tx, session.organization_id, attemptId, 'completed')
  await recordEvent(tx, {
    organizationId: session.organization_id,
    registeredUserId: session.registered_user_id,
    type: 'link.completed',
    payload: {
      link_session_id: session.id,
      connector_slug: connectorSlug,
      scopes,
      awaits_confirmation: session.state !== null,
    },
  })
}

const discard = async (tx: Transaction, session: SessionRow, sealed: Sealed): Promise<void> => {
  await attemptStore.finish(tx, session.organization_id, sealed.attemptId, 'failed', 'session_over')
  if (sealed.secret.kind !== 'oauth') return
  await revokeUnstored(tx, {
    ...sealed,
    organizationId: session.organization_id,
    registeredUserId: session.registered_user_id,
  })
}
