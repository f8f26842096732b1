import { one, type Queryable } from '../../platform/database/database.ts'
import {
  bigint,
  boolean,
  ensured,
  nullable,
  text,
  timestamptz,
  uuid,
  type Values,
} from '../../platform/database/sql-types.ts'
import { statement } from '../../platform/database/statement.ts'

const personColumns = {
  id: uuid,
  name: text,
  email: text,
  isVerified: boolean,
  isOperator: ensured(boolean),
  hasSecondFactor: boolean,
  organizations: ensured(bigint),
  sessions: ensured(bigint),
  lastSeenAt: nullable(timestamptz),
  createdAt: timestamptz,
}
export type StoredPerson = Values<typeof personColumns>

const PERSON = `select p.id, p.name, p.email, p.email_verified as is_verified, exists (select from operators o where o.person_id = p.id) as is_operator,
     p.two_factor_enabled as has_second_factor, (select count(*) from members m where m.person_id = p.id) as organizations,
     s.sessions, s.last_seen_at, p.created_at
   from people p cross join lateral (
     select count(*) as sessions, max(updated_at) as last_seen_at from people_sessions where user_id = p.id and expires_at > app_now()) s`

const list = statement({
  name: 'people.list',
  parameters: { after: nullable(uuid), search: nullable(text), limit: bigint },
  columns: personColumns,
  sql: `${PERSON} where (:after::uuid is null or p.id < :after)
     and (:search::text is null or strpos(lower(p.name), lower(:search)) > 0 or strpos(p.email, lower(:search)) > 0)
   order by p.id desc limit :limit`,
})
const find = statement({
  name: 'people.find',
  parameters: { id: uuid },
  columns: personColumns,
  sql: `${PERSON} where p.id = :id`,
})
// Concurrent removals wait for each other, so that one operator remains.
const lockOperators = statement({
  name: 'people.lock_operators',
  columns: { personId: uuid },
  sql: 'select person_id from operators order by person_id for update',
})
const deleteOperator = statement({
  name: 'people.remove_operator',
  parameters: { personId: uuid },
  sql: 'delete from operators where person_id = :personId',
})
const endSessions = statement({
  name: 'people.end_sessions',
  parameters: { personId: uuid },
  sql: 'delete from people_sessions where user_id = :personId',
})

/** All people of the installation, for operators. */
export const peopleStore = {
  list: (
    db: Queryable,
    filter: { after: string | null; search: string | null; limit: number },
  ): Promise<StoredPerson[]> => db.query(list, filter),
  find: (db: Queryable, id: string): Promise<StoredPerson | null> => one(db, find, { id }),
  lockOperators: async (tx: Queryable): Promise<string[]> =>
    (await tx.query(lockOperators)).map(({ personId }) => personId),
  removeOperator: (tx: Queryable, personId: string) => tx.query(deleteOperator, { personId }),
  endSessions: (tx: Queryable, personId: string) => tx.query(endSessions, { personId }),
}
