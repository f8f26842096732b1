import type { SiteKind } from '@carabiner/contract'
import { hashSecret } from '../../../core/hash-secret.ts'
import { isUuid } from '../../../core/uuid.ts'
import type { Transaction } from '../../../platform/database/database.ts'
import { seal, unseal } from '../../../platform/vault/sealing.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import { rejectUnchosen } from '../../credentials/pending-secrets.ts'
import type { Site } from '../../upstream/http/list-sites.ts'
import { keyOf, type StoredSession } from '../sessions/link-session-store.ts'
import { attemptStore, type ChoosingAttempt } from './attempt-store.ts'
import { type Completion, completeInTransaction, sealObtained } from './complete-session.ts'
import type { LinkDeps } from './link-deps.ts'
import type { ObtainedCredential } from './obtained-credential.ts'
import { grantKey, storeGrant, takeGrant } from './pending-grant.ts'

/** The sites listed by the provider, and what they are. */
export type SiteList = { kind: SiteKind; sites: Site[] }

const listContext = (organizationId: string, attemptId: string) =>
  ['link-sites', organizationId, attemptId] as const

/** Stores the sealed grant until the person chooses or the session expires. Returns false if the user was deleted. */
export const awaitSite = async (
  deps: LinkDeps,
  session: StoredSession,
  obtained: ObtainedCredential,
  list: SiteList,
): Promise<boolean> => {
  const { organizationId } = session
  const { attemptId } = obtained
  const organizationKey = await deps.vault.organizationKey(organizationId)
  const sealedList = seal(organizationKey, JSON.stringify(list), listContext(organizationId, attemptId))
  return deps.db.transaction(async tx => {
    const sealed = await sealObtained(tx, deps, session, obtained)
    if (!sealed) return false
    await attemptStore.awaitSite(tx, organizationId, attemptId, sealedList)
    await storeGrant(tx, session, sealed, grantKey('site', attemptId))
    return true
  })
}

export type OpenChoice = SiteList & { attemptId: string; slug: string }

/** The pending choice of this browser, or null if there is none. */
export const findChoice = async (
  { db, vault }: Pick<LinkDeps, 'db' | 'vault'>,
  session: StoredSession,
  browser: string | null,
  attemptId: string | undefined,
): Promise<OpenChoice | null> => {
  if (browser === null || attemptId === undefined || !isUuid(attemptId)) return null
  const attempt = await attemptStore.choosing(db, keyOf(session), hashSecret(browser), attemptId)
  if (!attempt) return null
  const list = await decryptList(vault, session.organizationId, attempt)
  return { ...list, attemptId, slug: attempt.connectorSlug }
}

const decryptList = async (
  vault: Vault,
  organizationId: string,
  { id, sealedState: sealed }: ChoosingAttempt,
): Promise<SiteList> => {
  const key = await vault.organizationKeyOf(organizationId, sealed)
  return JSON.parse(unseal(key, sealed, listContext(organizationId, id)).toString('utf8')) as SiteList
}

/** Completes the session with one of the listed sites. Returns null if the grant was already taken or revoked. */
export const chooseSite = (
  deps: LinkDeps,
  session: StoredSession,
  { attemptId }: OpenChoice,
  { sets }: Site,
): Promise<Completion | null> =>
  deps.db.transaction(async tx => {
    const grant = { key: grantKey('site', attemptId), attemptId, serverId: null }
    const obtained = await takeGrant(tx, deps, session, grant)
    if (!obtained) return null
    const { secret } = obtained
    const tenant = { ...secret.tenant, ...sets }
    return completeInTransaction(tx, deps, session, { ...obtained, secret: { ...secret, tenant } })
  })

/** Revokes the grants that wait for a choice in this browser, because the person cancelled. Returns whether there were any. */
export const endChoices = async (
  tx: Transaction,
  session: StoredSession,
  browser: string,
): Promise<boolean> => {
  const attempts = await attemptStore.allChoosing(tx, keyOf(session), hashSecret(browser))
  let ended = false
  for (const { id } of attempts) {
    const revoked =
      (await rejectUnchosen(tx, session.organizationId, grantKey('site', id))) ||
      (await rejectUnchosen(tx, session.organizationId, grantKey('account', id)))
    if (!revoked) continue
    await attemptStore.finish(tx, session.organizationId, id, 'exited')
    ended = true
  }
  return ended
}
