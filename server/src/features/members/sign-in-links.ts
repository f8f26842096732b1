import { DAY, SECOND } from '../../core/duration.ts'
import { Refusal } from '../../core/refusal.ts'
import { Secret } from '../../core/secret.ts'
import { hashToken, issueToken, parseToken, randomBase62, type Token } from '../../core/token.ts'
import { NIL_UUID, newUuid } from '../../core/uuid.ts'
import type { Database, Queryable } from '../../platform/database/database.ts'
import { claimAddress } from './claim-address.ts'
import { SESSION_TTL_MS } from './create-auth.ts'
import { memberStore } from './member-store.ts'
import { personStore } from './person-store.ts'
import { sessionCookie } from './session-cookie.ts'
import { signInLinkStore } from './sign-in-link-store.ts'

const LINK_TTL_MS = 3 * DAY
const SESSION_TOKEN_LENGTH = 43

export type SignInLink = { token: Secret<Token>; url: Secret; expiresAt: Date }

/** A link that signs a person in once. The token is in the fragment, which browsers send to no server and mail scanners do not use. */
export const createSignInLink = async (
  db: Queryable,
  {
    personId,
    issuerId,
    baseUrl,
  }: {
    personId: string
    /** The organization whose administrator creates the link; null for the operator. */
    issuerId: string | null
    baseUrl: string
  },
): Promise<SignInLink> => {
  const token = issueToken('signInLink', NIL_UUID)
  const expiresAt = await signInLinkStore.insert(db, {
    hash: hashToken(token),
    personId,
    issuerId,
    seconds: LINK_TTL_MS / SECOND,
  })
  return {
    token: new Secret<Token>(token),
    url: new Secret(`${baseUrl}/dashboard/sign-in#${token}`),
    expiresAt,
  }
}

/** The link was sent to the person's address and shown to nobody, so its use proves the address. */
export const markLinkMailed = async (db: Queryable, { token }: SignInLink): Promise<void> => {
  await signInLinkStore.markMailed(db, hashToken(token.reveal()))
}

type Client = { address: string | null; userAgent: string | null }

/** Returns the cookie of a new session. */
export const signInWithLink = async (
  { db, ...signing }: { db: Database; baseUrl: string; authSecret: string },
  text: string,
  client: Client,
): Promise<string> => {
  const link = parseToken('signInLink', text)
  if (link === null) throw new Refusal('sign_in_link_invalid')
  const token = randomBase62(SESSION_TOKEN_LENGTH)
  const seconds = SESSION_TTL_MS / SECOND
  await db.transaction(async tx => {
    const session = { hash: hashToken(link), sessionId: newUuid(), token, seconds, ...client }
    if (!(await signInLinkStore.lockPerson(tx, session.hash))) throw new Refusal('sign_in_link_invalid')
    const started = await signInLinkStore.startSession(tx, session)
    if (!started) throw new Refusal('account_exists')
    if (started.provesAddress) await claimAddress(tx, started.personId, session.sessionId)
    if (started.issuerId !== null)
      await joinIssuer(tx, session.sessionId, { ...started, issuerId: started.issuerId })
  })
  return sessionCookie(token, { ...signing, seconds })
}

type StartedByAdministrator = {
  personId: string
  issuerId: string
  provesAddress: boolean
  wasVerified: boolean
}

/**
 * Using the link accepts the invitation. An administrator may have used a link that was shown to them, so the address counts as
 * unverified from then on. In a new organization, a person whose address was never verified keeps nothing that was set up before:
 * it may be the work of an administrator of an earlier one.
 */
const joinIssuer = async (
  tx: Queryable,
  sessionId: string,
  { personId, issuerId, provesAddress, wasVerified }: StartedByAdministrator,
): Promise<void> => {
  const hasJoined = await memberStore.accept(tx, issuerId, personId)
  if (provesAddress) return
  if (hasJoined && !wasVerified) await personStore.removeCredentials(tx, personId, sessionId)
  await personStore.distrustAddress(tx, personId)
}
