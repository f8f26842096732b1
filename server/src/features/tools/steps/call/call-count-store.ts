import { one, type Queryable } from '../../../../platform/database/database.ts'
import { array, integer, jsonb, nullable, uuid } from '../../../../platform/database/sql-types.ts'
import { statement } from '../../../../platform/database/statement.ts'

const ofUser = { organizationId: uuid, userId: uuid, counts: jsonb }
const numbers = { numbers: nullable(array(integer)) }

const readCounts = statement({
  name: 'policies.count_calls',
  parameters: ofUser,
  columns: numbers,
  sql: 'select count_calls(:organizationId, :userId, :counts::jsonb) as numbers',
})
const reserveCall = statement({
  name: 'policies.reserve_counted_call',
  parameters: { ...ofUser, callId: uuid, countedAs: jsonb },
  columns: numbers,
  sql: 'select reserve_counted_call(:organizationId, :userId, :callId, :countedAs::jsonb, :counts::jsonb) as numbers',
  mayBeLost: true,
})

type OfUser = { organizationId: string; userId: string; counts: { seconds: number; tools: string[] }[] }

export const callCountStore = {
  /** The user's calls of some tools within a period. */
  read: async (db: Queryable, of: OfUser): Promise<number[]> =>
    (await one(db, readCounts, of))?.numbers ?? [],
  /** Counts the user's other calls, and reserves the call as one of its tools. Null: the call is not in flight any more. */
  reserve: async (
    db: Queryable,
    of: OfUser & { callId: string; countedAs: string[] },
  ): Promise<number[] | null> => (await one(db, reserveCall, of))?.numbers ?? null,
}
