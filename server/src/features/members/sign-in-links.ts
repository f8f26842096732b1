import { DAY, SECOND } from '../../core/duration.ts'
import { Refusal } from '../../core/refusal.ts'
import { Secret } from '../../core/secret.ts'
import { hashToken, issueToken, parseToken, randomBase62, type Token } from '../../core/token.ts'
import { NIL_UUID, newUuid } from '../../core/uuid.ts'
import type { Database, Queryable } from '../../platform/database/database.ts'
import { claimAddress } from './claim-address.ts'
import { SESSION_TTL_MS } from './create-auth.ts'
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
    baseUrl,
    skipsSecondFactor = false,
  }: { personId: string; baseUrl: string; skipsSecondFactor?: boolean },
): Promise<SignInLink> => {
  const token = issueToken('signInLink', NIL_UUID)
  const expiresAt = await signInLinkStore.insert(db, {
    hash: hashToken(token),
    personId,
    skipsSecondFactor,
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
    const started = await signInLinkStore.startSession(tx, session)
    if (!started) throw new Refusal('sign_in_link_invalid')
    if (started.provesAddress) await claimAddress(tx, started.personId, session.sessionId)
  })
  return sessionCookie(token, { ...signing, seconds })
}
