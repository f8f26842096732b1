import { isUuid } from '../../../core/uuid.ts'
import type { Transaction } from '../../../platform/database/database.ts'
import { seal, unseal } from '../../../platform/vault/sealing.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import { openSecret } from '../../credentials/credential-secret.ts'
import { lockUser } from '../../credentials/lock-user.ts'
import { endUnchosen, keepWaiting, takeWaiting } from '../../credentials/waiting-secrets.ts'
import type { Site } from '../../upstream/http/list-sites.ts'
import { hashSecret } from '../sessions/hash-secret.ts'
import { keyOf, type SessionRow } from '../sessions/link-session-store.ts'
import { attemptStore, type ChoosingAttempt } from './attempt-store.ts'
import type { LinkDeps } from './authorize.ts'
import { type Completion, completeWithin, type Obtained, sealObtained } from './complete-session.ts'

/** The sites to choose from, as the provider listed them, and the name that the chosen one has in addresses. */
export type SiteList = { name: string; sites: Site[] }

const listContext = (organizationId: string, attemptId: string) =>
  ['link-sites', organizationId, attemptId] as const

/** The key of the waiting grant. It is not the hash of any authorization code, so no code redeems the grant. */
const grantKey = (attemptId: string): Buffer => hashSecret(`site of ${attemptId}`)

/** Keeps the grant, sealed, until the person chooses or the session expires. False if the user was deleted. */
export const awaitSite = async (
  deps: LinkDeps,
  session: SessionRow,
  obtained: Obtained,
  list: SiteList,
): Promise<boolean> => {
  const { organization_id: organizationId } = session
  const { attemptId } = obtained
  const organizationKey = await deps.vault.organizationKey(organizationId)
  const sealedList = seal(organizationKey, JSON.stringify(list), listContext(organizationId, attemptId))
  return deps.db.transaction(async tx => {
    const sealed = await sealObtained(tx, deps, session, obtained)
    if (!sealed) return false
    await attemptStore.awaitSite(tx, organizationId, attemptId, sealedList)
    await keepWaiting(tx, {
      ...sealed,
      organizationId,
      registeredUserId: session.registered_user_id,
      sessionId: session.id,
      mode: session.mode,
      codeHash: grantKey(attemptId),
      sessionMintedAt: session.minted_at,
      expiresAt: session.expires_at,
    })
    return true
  })
}

export type OpenChoice = SiteList & { attemptId: string; slug: string }

/** The choice that this browser has to make, or null if there is none any more. */
export const findChoice = async (
  { db, vault }: Pick<LinkDeps, 'db' | 'vault'>,
  session: SessionRow,
  browser: string | null,
  attemptId: string | undefined,
): Promise<OpenChoice | null> => {
  if (browser === null || attemptId === undefined || !isUuid(attemptId)) return null
  const attempt = await attemptStore.choosing(db, keyOf(session), hashSecret(browser), attemptId)
  if (!attempt) return null
  const list = await openList(vault, session.organization_id, attempt)
  return { ...list, attemptId, slug: attempt.connector_slug }
}

const openList = async (
  vault: Vault,
  organizationId: string,
  { id, sealed_state: sealed }: ChoosingAttempt,
): Promise<SiteList> => {
  const key = await vault.organizationKeyOf(organizationId, sealed)
  return JSON.parse(unseal(key, sealed, listContext(organizationId, id)).toString('utf8')) as SiteList
}

/** Completes the session with one of the listed sites. Null if another submission took the grant, or it has ended. */
export const chooseSite = (
  deps: LinkDeps,
  session: SessionRow,
  { name, attemptId }: OpenChoice,
  { value }: Site,
): Promise<Completion | null> =>
  deps.db.transaction(async tx => {
    const obtained = await takeGrant(tx, deps, session, attemptId)
    if (!obtained) return null
    const { secret } = obtained
    const tenant = { ...secret.tenant, [name]: value }
    return completeWithin(tx, deps, session, { ...obtained, secret: { ...secret, tenant } })
  })

/** The user is locked first, as everywhere: the grant is opened with the key that the user has now. */
const takeGrant = async (
  tx: Transaction,
  { vault }: LinkDeps,
  session: SessionRow,
  attemptId: string,
): Promise<Obtained | null> => {
  const { organization_id: organizationId, registered_user_id: registeredUserId } = session
  const dataKey = await lockUser(tx, organizationId, registeredUserId)
  const row = dataKey && (await takeWaiting(tx, organizationId, grantKey(attemptId)))
  if (!row) return null
  const userKey = await vault.openUserKey(organizationId, registeredUserId, dataKey, tx)
  const owner = {
    organizationId,
    registeredUserId,
    connectorSlug: row.connector_slug,
    secretId: row.secret_id,
  }
  return {
    attemptId,
    connectorSlug: row.connector_slug,
    serverId: null,
    secret: openSecret(userKey, owner, row.sealed),
    scopes: row.scopes,
    account: row.account,
    accountId: row.account_id,
    oauthApp: row.oauth_app,
    expiresInSeconds: row.expires_in_seconds,
  }
}

/** The person cancelled: grants that wait for a choice in this browser are revoked. Returns whether there was one. */
export const endChoices = async (tx: Transaction, session: SessionRow, browser: string): Promise<boolean> => {
  const attempts = await attemptStore.allChoosing(tx, keyOf(session), hashSecret(browser))
  let ended = false
  for (const { id } of attempts) {
    if (!(await endUnchosen(tx, session.organization_id, grantKey(id)))) continue
    await attemptStore.finish(tx, session.organization_id, id, 'exited')
    ended = true
  }
  return ended
}
