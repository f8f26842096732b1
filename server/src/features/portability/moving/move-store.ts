import { SECOND } from '../../../core/duration.ts'
import { one, ping, type Queryable } from '../../../platform/database/database.ts'
import { array, bigint, boolean, double, nullable, text, uuid } from '../../../platform/database/sql-types.ts'
import { statement } from '../../../platform/database/statement.ts'
import { CLAIM_TTL_MS } from '../../../platform/idempotency-key.ts'

// What still runs for an organization that has stopped: calls, refreshes of tokens, and the exchange of authorization codes at providers.
// None takes longer than a minute; the process of an older one was killed.
const countUnfinished = statement({
  name: 'moves.unfinished_work',
  parameters: { organizationId: uuid },
  columns: { calls: bigint, refreshes: bigint, exchanges: bigint },
  sql: `select
     (select count(*) from calls_in_flight where organization_id = :organizationId and started_at > app_now() - interval '1 minute') as calls,
     (select count(*) from credentials where organization_id = :organizationId and lease_until > app_now()) as refreshes,
     (select count(*) from link_attempts where organization_id = :organizationId and outcome is null and not awaits_site and not awaits_account
       and returned_at > app_now() - interval '1 minute') as exchanges`,
})
// Requests that change something: until its entry in the audit trail is written, or until its response is stored under its idempotency key. A
// key is held for two minutes. Requests take much less than ten seconds; the process of an older one was killed.
const countRequests = statement({
  name: 'moves.unfinished_requests',
  parameters: { organizationId: uuid, claimSeconds: double },
  columns: { entries: bigint, keys: bigint },
  sql: `select
     (select count(*) from audit_intents where organization_id = :organizationId and started_at > app_now() - interval '10 seconds') as entries,
     (select count(*) from idempotency_keys where organization_id = :organizationId and response_status is null
       and expires_at > app_now() + make_interval(secs => :claimSeconds) - interval '10 seconds') as keys`,
})
const selectOwnSlugs = statement({
  name: 'moves.own_slugs',
  parameters: { organizationId: uuid },
  columns: { slug: text },
  sql: `select slug from mcp_connectors where organization_id = :organizationId and source = 'custom' and removed_at is null`,
})
const findContestedSlug = statement({
  name: 'moves.contested_slug',
  parameters: { organizationId: uuid, slugs: array(text) },
  columns: { slug: nullable(text) },
  sql: 'select contested_slug(:organizationId, :slugs) as slug',
})
// Released at the end of the transaction, also if the process is killed.
const tryLock = statement({
  name: 'moves.try_lock',
  parameters: { organizationId: uuid },
  columns: { locked: boolean },
  sql: `select pg_try_advisory_xact_lock(hashtextextended('move:' || (:organizationId::uuid)::text, 0)) as locked`,
})
// The lock is held while other connections copy.
const allowWaiting = statement({
  name: 'moves.allow_waiting',
  sql: 'set local idle_in_transaction_session_timeout = 0',
})

export type UnfinishedRequests = { entries: number; keys: number }
export type UnfinishedWork = { calls: number; refreshes: number; exchanges: number }

export const moveStore = {
  unfinished: (db: Queryable, organizationId: string): Promise<UnfinishedWork> =>
    one(db, countUnfinished, { organizationId }) as Promise<UnfinishedWork>,
  unfinishedRequests: (db: Queryable, organizationId: string): Promise<UnfinishedRequests> =>
    one(db, countRequests, {
      organizationId,
      claimSeconds: CLAIM_TTL_MS / SECOND,
    }) as Promise<UnfinishedRequests>,
  /** The slugs of the organization’s own MCP servers. */
  ownSlugs: async (db: Queryable, organizationId: string): Promise<string[]> =>
    (await db.query(selectOwnSlugs, { organizationId })).map(({ slug }) => slug),
  /** One of the slugs that the catalog of the target has, or null. */
  contestedSlug: async (db: Queryable, organizationId: string, slugs: string[]): Promise<string | null> =>
    (await one(db, findContestedSlug, { organizationId, slugs }))?.slug ?? null,
  /** Returns false if another process moves the organization. */
  lock: async (tx: Queryable, organizationId: string): Promise<boolean> => {
    await tx.query(allowWaiting)
    return (await one(tx, tryLock, { organizationId }))?.locked ?? false
  },
  /** Throws if the connection was lost, and the lock with it. */
  checkLock: async (tx: Queryable): Promise<void> => {
    await tx.query(ping)
  },
}
