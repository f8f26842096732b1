import type { OrganizationState } from '../../core/organization-state.ts'
import { one, type Queryable } from '../../platform/database/database.ts'
import {
  array,
  bigint,
  boolean,
  bytea,
  integer,
  nullable,
  text,
  timestamptz,
  uuid,
  type Values,
} from '../../platform/database/sql-types.ts'
import { statement } from '../../platform/database/statement.ts'

const importColumns = {
  archiveId: bytea,
  nextChunk: integer,
  startedAt: timestamptz,
  expiredRecords: bigint,
  expiredChecksum: bytea,
  verifiedAt: nullable(timestamptz),
}
export type StartedImport = Values<typeof importColumns>
const IMPORT = 'archive_id, next_chunk, started_at, expired_records, expired_checksum, verified_at'

const find = statement({
  name: 'imports.find',
  parameters: { organizationId: uuid },
  columns: importColumns,
  sql: `select ${IMPORT} from organization_imports where organization_id = :organizationId`,
})
// Two imports that start at the same time take turns, also if there is no row yet.
const queueStart = statement({
  name: 'imports.queue_start',
  parameters: { organizationId: uuid },
  sql: 'select pg_advisory_xact_lock(hashtextextended((:organizationId::uuid)::text, 0))',
})
const lock = statement({
  name: 'imports.lock',
  parameters: { organizationId: uuid },
  columns: importColumns,
  sql: `select ${IMPORT} from organization_imports where organization_id = :organizationId for update`,
})
const start = statement({
  name: 'imports.start',
  parameters: { organizationId: uuid, archiveId: bytea },
  columns: importColumns,
  sql: `insert into organization_imports (organization_id, archive_id) values (:organizationId, :archiveId)
   on conflict (organization_id) do update set archive_id = excluded.archive_id, next_chunk = 0, started_at = excluded.started_at,
     expired_records = 0, expired_checksum = excluded.expired_checksum, verified_at = null
   returning ${IMPORT}`,
})
// The condition on the chunk lets only one of two concurrent imports apply it.
const advance = statement({
  name: 'imports.advance',
  parameters: {
    organizationId: uuid,
    archiveId: bytea,
    chunk: integer,
    expired: bigint,
    expiredChecksum: bytea,
  },
  columns: importColumns,
  sql: `update organization_imports set next_chunk = :chunk + 1, expired_records = :expired, expired_checksum = :expiredChecksum
   where organization_id = :organizationId and archive_id = :archiveId and next_chunk = :chunk returning ${IMPORT}`,
})
const markVerified = statement({
  name: 'imports.mark_verified',
  parameters: { organizationId: uuid },
  sql: 'update organization_imports set verified_at = app_now() where organization_id = :organizationId',
})
const end = statement({
  name: 'imports.end',
  parameters: { organizationId: uuid },
  sql: 'delete from organization_imports where organization_id = :organizationId',
})
const findRotation = statement({
  name: 'imports.rotation_in_progress',
  columns: { running: boolean },
  sql: 'select exists (select from key_rotations where finished_at is null) as running',
})
const setState = statement({
  name: 'imports.set_state',
  parameters: { organizationId: uuid, from: array(text), to: text },
  columns: { changed: boolean },
  sql: 'select set_organization_state(:organizationId, :from, :to) as changed',
})

/** The progress of imports. */
export const importStore = {
  find: (db: Queryable, organizationId: string) => one(db, find, { organizationId }),
  /** Waits for a transaction of another import, so that later reads see what it did. */
  lock: async (tx: Queryable, organizationId: string) => {
    await tx.query(queueStart, { organizationId })
    return one(tx, lock, { organizationId })
  },
  start: (tx: Queryable, organizationId: string, archiveId: Buffer) =>
    one(tx, start, { organizationId, archiveId }) as Promise<StartedImport>,
  /** Returns null if another import has applied the chunk. */
  advance: (tx: Queryable, progress: Parameters<typeof advanceValues>[0]) =>
    one(tx, advance, advanceValues(progress)),
  markVerified: (tx: Queryable, organizationId: string) => tx.query(markVerified, { organizationId }),
  end: (tx: Queryable, organizationId: string) => tx.query(end, { organizationId }),
  isRotationInProgress: async (db: Queryable): Promise<boolean> =>
    (await one(db, findRotation))?.running ?? false,
  /** Returns false if the organization has none of the states `from`. */
  setState: async (
    tx: Queryable,
    organizationId: string,
    from: OrganizationState[],
    to: OrganizationState,
  ): Promise<boolean> => (await one(tx, setState, { organizationId, from, to }))?.changed ?? false,
}

const advanceValues = (progress: {
  organizationId: string
  archiveId: Buffer
  chunk: number
  expired: number
  expiredChecksum: Buffer
}) => progress
