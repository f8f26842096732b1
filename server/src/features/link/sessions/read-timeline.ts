import type { LinkSession } from '@carabiner/contract'
import { type PageRequest, toPage } from '../../../core/cursor.ts'
import type { Mode } from '../../../core/mode.ts'
import { Refusal } from '../../../core/refusal.ts'
import { isUuid } from '../../../core/uuid.ts'
import type { Database } from '../../../platform/database/database.ts'
import { type ReadDatabase, readPrimary } from '../../../platform/database/read-database.ts'
import { describeState } from './session-state.ts'
import {
  type SessionSummary,
  sessionStateStore,
  stateFacts,
  type TimelineStep,
} from './session-state-store.ts'

type Owner = { organizationId: string; mode: Mode }

/** Reads one session with its steps, to diagnose why linking failed. */
export const readTimeline = async (db: Database, owner: Owner, sessionId: string): Promise<LinkSession> => {
  const session = isUuid(sessionId) ? await sessionStateStore.summary(db, owner, sessionId) : null
  if (!session) throw new Refusal('link_session_not_found')
  const steps = await sessionStateStore.timelines(readPrimary(db), owner.organizationId, [session.id])
  return toLinkSession(session, steps)
}

/** The user is looked up on the primary, because it may have been created or deleted a moment ago. */
export const listSessions = async (
  { db, lists }: { db: Database; lists: ReadDatabase },
  owner: Owner,
  registeredUserId: string,
  { limit, after }: PageRequest,
): Promise<{ data: LinkSession[]; next_cursor: string | null }> => {
  if (!isUuid(registeredUserId) || !(await sessionStateStore.userExists(db, owner, registeredUserId)))
    throw new Refusal('registered_user_not_found')
  const rows = await sessionStateStore.summaries(lists, owner, registeredUserId, {
    before: after,
    limit: limit + 1,
  })
  const page = toPage(rows, limit)
  const steps = await sessionStateStore.timelines(
    lists,
    owner.organizationId,
    page.data.map(({ id }) => id),
  )
  const bySession = Map.groupBy(steps, ({ sessionId }) => sessionId)
  return { ...page, data: page.data.map(session => toLinkSession(session, bySession.get(session.id) ?? [])) }
}

const toLinkSession = (session: SessionSummary, steps: TimelineStep[]): LinkSession => {
  const { status, scopes } = describeState(stateFacts(session))
  return {
    id: session.id,
    registered_user_id: session.registeredUserId,
    status,
    connector_slug: session.connectorSlug ?? session.lockedConnector,
    scopes,
    minted_at: session.mintedAt.toISOString(),
    expires_at: session.expiresAt.toISOString(),
    timeline: steps.map(({ step, at, connectorSlug, reason }) => ({
      step,
      at: at.toISOString(),
      connector_slug: connectorSlug,
      reason,
    })),
  }
}
