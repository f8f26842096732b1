import type { ClosedStanding } from '../sessions/link-session.ts'
import { keyOf, type StoredSession } from '../sessions/link-session-store.ts'
import { readSession } from '../sessions/open-session.ts'
import type { Completion } from './complete-session.ts'
import type { Ending } from './ending.ts'
import type { LinkDeps } from './link-deps.ts'
import { recordEnded } from './record-ended.ts'

type Failure = Extract<Ending, { status: 'error' }>
/** Why nothing was stored: the attempt failed, or the session has ended in the meantime. */
export type RefusedCompletion = { ending: Failure } | { standing: ClosedStanding }

/** Explains a completion that was refused. Its grant has been discarded. */
export const explainRefusal = async (
  deps: LinkDeps,
  session: StoredSession,
  attemptId: string,
  completion: Extract<Completion, { completed: false }>,
): Promise<RefusedCompletion> => {
  deps.afterRevocation()
  if ('connectorRemoved' in completion) return endRemoved(deps, session, attemptId)
  const found = await readSession(deps.db, keyOf(session))
  return { standing: !found || found.standing === 'open' ? 'used' : found.standing }
}

/** The connector was removed, or the Tool Pack does not contain it any more. */
export const endRemoved = async (
  { db }: Pick<LinkDeps, 'db'>,
  session: StoredSession,
  attemptId: string,
): Promise<{ ending: Failure }> => {
  const ending: Failure = { status: 'error', reason: 'connector_removed' }
  await db.transaction(tx => recordEnded(tx, session, ending, attemptId))
  return { ending }
}
