import { hashSecret } from '../../../core/hash-secret.ts'
import { isUuid } from '../../../core/uuid.ts'
import type { Database } from '../../../platform/database/database.ts'
import { keyOf, type StoredSession } from '../sessions/link-session-store.ts'
import { attemptStore } from './attempt-store.ts'
import { type Completion, completeInTransaction } from './complete-session.ts'
import type { LinkedAccount } from './decide-account.ts'
import type { LinkDeps } from './link-deps.ts'
import { linkedAccountStore } from './linked-account-store.ts'
import { grantKey, takeGrant } from './pending-grant.ts'

/** A grant that waits for the answer to “Replace or add?”. `account`: the account that the person has signed in with. */
export type OpenAccountChoice = {
  attemptId: string
  slug: string
  serverId: string | null
  account: string | null
  linked: LinkedAccount[]
}

/** The pending choice of this browser, or null if there is none. */
export const findAccountChoice = async (
  db: Database,
  session: StoredSession,
  browser: string | null,
  attemptId: string | undefined,
): Promise<OpenAccountChoice | null> => {
  if (browser === null || attemptId === undefined || !isUuid(attemptId)) return null
  const found = await attemptStore.choosingAccount(db, keyOf(session), {
    browserHash: hashSecret(browser),
    attemptId,
    grantKey: grantKey('account', attemptId),
  })
  if (!found) return null
  const { connectorSlug: slug, serverId, account } = found
  return { attemptId, slug, serverId, account, linked: await linkedAccountStore.of(db, session, slug) }
}

/** Completes the session. `replaces`: the credential to replace, or null to add the account. Returns null if the grant was taken. */
export const chooseAccount = (
  deps: LinkDeps,
  session: StoredSession,
  { attemptId, serverId }: OpenAccountChoice,
  replaces: string | null,
): Promise<Completion | null> =>
  deps.db.transaction(async tx => {
    const grant = { key: grantKey('account', attemptId), attemptId, serverId }
    const obtained = await takeGrant(tx, deps, session, grant)
    return obtained && completeInTransaction(tx, deps, session, { ...obtained, replaces })
  })
