import type { SignInLinkDetails } from '@carabiner/contract'
import { DAY, SECOND } from '../../core/duration.ts'
import { Refusal } from '../../core/refusal.ts'
import { Secret } from '../../core/secret.ts'
import { hashToken, issueToken, parseToken, randomBase62, type Token } from '../../core/token.ts'
import { NIL_UUID, newUuid } from '../../core/uuid.ts'
import type { Database, Queryable } from '../../platform/database/database.ts'
import { claimAddress } from './claim-address.ts'
import { SESSION_TTL_MS } from './create-auth.ts'
import { memberSignInLinkStore } from './member-sign-in-link-store.ts'
import { memberStore } from './member-store.ts'
import { personStore } from './person-store.ts'
import { sessionCookie } from './session-cookie.ts'

const LINK_TTL_MS = 3 * DAY
const SESSION_TOKEN_LENGTH = 43

export type MemberSignInLink = { token: Secret<Token>; url: Secret; expiresAt: Date }

export type LinkIssuer = { organizationId: string; personId: string | null }

/** A link that signs a person in once. The token is in the fragment, which browsers send to no server and mail scanners do not use. */
export const createSignInLink = async (
  db: Queryable,
  {
    personId,
    issuer,
    baseUrl,
  }: {
    personId: string
    /** The organization and its administrator who creates the link; null for the operator. */
    issuer: LinkIssuer | null
    baseUrl: string
  },
): Promise<MemberSignInLink> => {
  const token = issueToken('signInLink', NIL_UUID)
  const expiresAt = await memberSignInLinkStore.insert(db, {
    hash: hashToken(token),
    personId,
    issuerId: issuer?.organizationId ?? null,
    issuedBy: issuer?.personId ?? null,
    seconds: LINK_TTL_MS / SECOND,
  })
  return {
    token: new Secret<Token>(token),
    url: new Secret(`${baseUrl}/dashboard/sign-in#${token}`),
    expiresAt,
  }
}

/** The link was sent to the person's address and shown to nobody, so its use proves the address. */
export const markLinkMailed = async (db: Queryable, { token }: MemberSignInLink): Promise<void> => {
  await memberSignInLinkStore.markMailed(db, hashToken(token.reveal()))
}

/** The invitation that a link accepts, or the member whom it signs in again. Nothing is used up. */
export const describeSignInLink = async (db: Database, text: string): Promise<SignInLinkDetails> => {
  const token = parseToken('signInLink', text)
  const link = token && (await memberSignInLinkStore.describe(db, hashToken(token)))
  if (!link) throw new Refusal('member_sign_in_link_invalid')
  const { organization, role, isInvitation, issuedBy } = link
  return {
    organization:
      organization === null || role === null
        ? null
        : { name: organization, role, invites: isInvitation === true },
    issued_by: issuedBy,
  }
}

type Client = { address: string | null; userAgent: string | null }

/** Returns the cookie of a new session. */
export const signInWithLink = async (
  { db, ...signing }: { db: Database; baseUrl: string; authSecret: string },
  text: string,
  client: Client,
): Promise<string> => {
  const link = parseToken('signInLink', text)
  if (link === null) throw new Refusal('member_sign_in_link_invalid')
  const token = randomBase62(SESSION_TOKEN_LENGTH)
  const seconds = SESSION_TTL_MS / SECOND
  await db.transaction(async tx => {
    const session = { hash: hashToken(link), sessionId: newUuid(), token, seconds, ...client }
    if (!(await memberSignInLinkStore.lockPerson(tx, session.hash)))
      throw new Refusal('member_sign_in_link_invalid')
    const started = await memberSignInLinkStore.startSession(tx, session)
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
