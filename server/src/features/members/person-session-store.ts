import type { Role } from '@carabiner/contract/permissions'
import type { OrganizationState } from '../../core/organization-state.ts'
import { one, type Queryable } from '../../platform/database/database.ts'
import {
  boolean,
  nullable,
  text,
  timestamptz,
  typed,
  uuid,
  type Values,
} from '../../platform/database/sql-types.ts'
import { statement } from '../../platform/database/statement.ts'

const signedInColumns = {
  sessionId: uuid,
  id: uuid,
  name: text,
  email: text,
  isOperator: boolean,
  hasPassword: boolean,
  hasSecondFactor: boolean,
  /** Whether a one-time link started the session within the last quarter of an hour. */
  isByLink: boolean,
  /** Whether the person has signed in within the last ten minutes. */
  isRecent: boolean,
}
export type SignedInPerson = Values<typeof signedInColumns>

const IS_RECENT = `s.created_at > app_now() - interval '10 minutes'`

const selectSession = statement({
  name: 'people.of_session',
  parameters: { token: text },
  columns: signedInColumns,
  sql: `select s.id as session_id, p.id, p.name, p.email, p.two_factor_enabled as has_second_factor,
     exists (select from operators o where o.person_id = p.id) as is_operator,
     exists (select from people_accounts a where a.user_id = p.id and a.provider_id = 'credential') as has_password,
     exists (select from people_sign_in_links l where l.session_id = s.id and l.used_at > app_now() - interval '15 minutes') as is_by_link,
     ${IS_RECENT} as is_recent
   from people_sessions s join people p on p.id = s.user_id
   where s.token = :token and s.expires_at > app_now()`,
})
const selectMember = statement({
  name: 'people.member_of_session',
  parameters: { token: text, organizationId: uuid },
  columns: {
    personId: uuid,
    name: text,
    role: nullable(typed<Role>(text)),
    organizationState: nullable(typed<OrganizationState>(text)),
    isRecent: boolean,
  },
  sql: `select p.id as person_id, p.name, o.state as organization_state, ${IS_RECENT} as is_recent,
     coalesce(m.role, case when exists (select from operators x where x.person_id = p.id) then 'admin' end) as role
   from people_sessions s join people p on p.id = s.user_id
   left join organizations o on o.id = :organizationId
   left join members m on m.organization_id = o.id and m.person_id = p.id and m.accepted_at is not null
   where s.token = :token and s.expires_at > app_now()`,
})
const sessionColumns = {
  id: uuid,
  address: nullable(text),
  userAgent: nullable(text),
  createdAt: timestamptz,
  usedAt: timestamptz,
}
export type StoredSession = Values<typeof sessionColumns>
const selectSessions = statement({
  name: 'people.sessions',
  parameters: { personId: uuid },
  columns: sessionColumns,
  sql: `select id, ip_address as address, user_agent, created_at, updated_at as used_at from people_sessions
   where user_id = :personId and expires_at > app_now() order by updated_at desc, id limit 100`,
})
const endSession = statement({
  name: 'people.end_session',
  parameters: { personId: uuid, sessionId: uuid },
  columns: { id: uuid },
  sql: 'delete from people_sessions where user_id = :personId and id = :sessionId returning id',
})
const endOtherSessions = statement({
  name: 'people.end_other_sessions',
  parameters: { personId: uuid, sessionId: uuid },
  sql: 'delete from people_sessions where user_id = :personId and id <> :sessionId',
})
const deleteExpiredSessions = statement({
  name: 'people.delete_expired',
  sql: `with sessions as (delete from people_sessions where expires_at <= app_now()),
     verifications as (delete from people_verifications where expires_at <= app_now())
   delete from people_sign_in_links where expires_at <= app_now() - interval '1 day'`,
})

export const personSessionStore = {
  ofSession: (db: Queryable, token: string): Promise<SignedInPerson | null> =>
    one(db, selectSession, { token }),
  memberOfSession: (db: Queryable, token: string, organizationId: string) =>
    one(db, selectMember, { token, organizationId }),
  /** At most 100, the ones used last first. */
  sessionsOf: (db: Queryable, personId: string) => db.query(selectSessions, { personId }),
  /** False if the person has no such session. */
  endSession: async (db: Queryable, personId: string, sessionId: string): Promise<boolean> =>
    (await one(db, endSession, { personId, sessionId })) !== null,
  endOtherSessions: (db: Queryable, personId: string, sessionId: string) =>
    db.query(endOtherSessions, { personId, sessionId }),
  deleteExpired: (db: Queryable) => db.query(deleteExpiredSessions),
}
