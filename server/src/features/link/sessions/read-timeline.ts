import type { LinkSession } from '@carabiner/contract'
import { type PageRequest, toPage } from '../../../core/cursor.ts'
import type { Mode } from '../../../core/mode.ts'
import { Refusal } from '../../../core/refusal.ts'
import { isUuid } from '../../../core/uuid.ts'
import type { Database } from '../../../platform/database/database.ts'
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
  const row = isUuid(sessionId) ? await sessionStateStore.summary(db, owner, sessionId) : null
  if (!row) throw new Refusal('link_session_not_found')
  return toLinkSession(row, await sessionStateStore.timelines(db, owner.organizationId, [row.id]))
}

export const listSessions = async (
  db: Database,
  owner: Owner,
  registeredUserId: string,
  { limit, after }: PageRequest,
): Promise<{ data: LinkSession[]; next_cursor: string | null }> => {
  if (!isUuid(registeredUserId) || !(await sessionStateStore.userExists(db, owner, registeredUserId)))
    throw new Refusal('registered_user_not_found')
  const rows = await sessionStateStore.summaries(db, owner, registeredUserId, {
    before: after,
    limit: limit + 1,
  })
  const page = toPage(rows, limit)
  const steps = await sessionStateStore.timelines(
    db,
    owner.organizationId,
    page.data.map(({ id }) => id),
  )
  const bySession = Map.groupBy(steps, ({ sessionId }) => sessionId)
  return { ...page, data: page.data.map(row => toLinkSession(row, bySession.get(row.id) ?? [])) }
}

const toLinkSession = (row: SessionSummary, steps: TimelineStep[]): LinkSession => {
  const { status, scopes } = describeState(stateFacts(row))
  return {
    id: row.id,
    registered_user_id: row.registeredUserId,
    status,
    connector_slug: row.connectorSlug ?? row.lockedConnector,
    scopes,
    minted_at: row.mintedAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
    timeline: steps.map(({ step, at, connectorSlug, reason }) => ({
      step,
      at: at.toISOString(),
      connector_slug: connectorSlug,
      reason,
    })),
  }
}
