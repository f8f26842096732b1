import { one, type Queryable } from '../database.ts'
import { boolean, nullable, text } from '../sql-types.ts'
import { statement } from '../statement.ts'

/** Positions in the write-ahead log are numbers of up to 64 bits. */
const identity = { system: nullable(text), database: text }
const IDENTITY = `(select system_identifier::text from pg_control_system()) as system, current_database()::text as database`

const selectPrimary = statement({
  name: 'replica.position_of_primary',
  columns: { ...identity, position: nullable(text) },
  sql: `select ${IDENTITY}, pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::text as position`,
})
const selectReplica = statement({
  name: 'replica.position_of_replica',
  columns: { ...identity, inRecovery: boolean, position: nullable(text) },
  sql: `select ${IDENTITY}, pg_is_in_recovery() as in_recovery,
     pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::text as position`,
})

export const replicaStore = {
  /** A committed change is at or before the flushed position. */
  primary: (db: Queryable) => one(db, selectPrimary),
  replica: (db: Queryable) => one(db, selectReplica),
}
