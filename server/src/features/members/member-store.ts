import type { Role } from '../../core/permission.ts'
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

const memberColumns = {
  personId: uuid,
  name: text,
  email: text,
  role: typed<Role>(text),
  /** Whether the person has set a password, or added a passkey or an account of the identity provider. */
  hasSignedIn: boolean,
  hasSecondFactor: boolean,
  lastSeenAt: nullable(timestamptz),
  createdAt: timestamptz,
}
export type StoredMember = Values<typeof memberColumns>
const MEMBER = `select m.person_id, p.name, p.email, m.role, m.created_at, p.two_factor_enabled as has_second_factor,
     exists (select from people_accounts a where a.user_id = p.id) or exists (select from people_passkeys k where k.user_id = p.id) as has_signed_in,
     (select max(s.updated_at) from people_sessions s where s.user_id = p.id) as last_seen_at
   from members m join people p on p.id = m.person_id`

const list = statement({
  name: 'members.list',
  parameters: { organizationId: uuid },
  columns: memberColumns,
  sql: `${MEMBER} where m.organization_id = :organizationId order by p.name, p.email`,
})
const find = statement({
  name: 'members.find',
  parameters: { organizationId: uuid, personId: uuid },
  columns: memberColumns,
  sql: `${MEMBER} where m.organization_id = :organizationId and m.person_id = :personId`,
})
const insert = statement({
  name: 'members.insert',
  parameters: { organizationId: uuid, personId: uuid, role: text },
  columns: { personId: uuid },
  sql: `insert into members (organization_id, person_id, role) values (:organizationId, :personId, :role)
   on conflict do nothing returning person_id`,
})
// Serializes changes of roles, so that an organization keeps an administrator.
const lockOrganization = statement({
  name: 'members.lock_organization',
  parameters: { organizationId: uuid },
  columns: { id: uuid },
  sql: 'select id from organizations where id = :organizationId for no key update',
})
const hasOtherAdmin = statement({
  name: 'members.has_other_admin',
  parameters: { organizationId: uuid, personId: uuid },
  columns: { exists: boolean },
  sql: `select exists (
     select from members where organization_id = :organizationId and role = 'admin' and person_id <> :personId) as exists`,
})
const isOnlyHere = statement({
  name: 'members.is_only_here',
  parameters: { organizationId: uuid, personId: uuid },
  columns: { isOnlyHere: boolean },
  sql: `select not exists (select from members where person_id = :personId and organization_id <> :organizationId)
     and not exists (select from operators where person_id = :personId)
     and not exists (select from people where id = :personId and two_factor_enabled) as is_only_here`,
})
const setRole = statement({
  name: 'members.set_role',
  parameters: { organizationId: uuid, personId: uuid, role: text },
  columns: { personId: uuid },
  sql: `update members set role = :role where organization_id = :organizationId and person_id = :personId returning person_id`,
})
const remove = statement({
  name: 'members.remove',
  parameters: { organizationId: uuid, personId: uuid },
  columns: { personId: uuid },
  sql: 'delete from members where organization_id = :organizationId and person_id = :personId returning person_id',
})
const organizationsOf = statement({
  name: 'members.organizations_of',
  parameters: { personId: uuid },
  columns: { id: uuid, name: text, role: typed<Role>(text), isSuspended: boolean },
  // An operator administers every organization of the installation.
  sql: `select o.id, o.name, coalesce(m.role, 'admin') as role, o.state = 'suspended' as is_suspended
   from organizations o left join members m on m.organization_id = o.id and m.person_id = :personId
   where o.state in ('active', 'suspended')
     and (m.person_id is not null or exists (select from operators x where x.person_id = :personId))
   order by o.name, o.id limit 500`,
})

export const memberStore = {
  list: (db: Queryable, organizationId: string): Promise<StoredMember[]> =>
    db.query(list, { organizationId }),
  find: (db: Queryable, organizationId: string, personId: string): Promise<StoredMember | null> =>
    one(db, find, { organizationId, personId }),
  /** False if the person is a member already. */
  insert: async (
    db: Queryable,
    member: { organizationId: string; personId: string; role: Role },
  ): Promise<boolean> => (await one(db, insert, member)) !== null,
  lockOrganization: (db: Queryable, organizationId: string) => db.query(lockOrganization, { organizationId }),
  hasOtherAdmin: async (db: Queryable, organizationId: string, personId: string): Promise<boolean> =>
    (await one(db, hasOtherAdmin, { organizationId, personId }))?.exists ?? false,
  /** Whether the person is no operator, has no second factor, and belongs to no other organization. */
  isOnlyHere: async (db: Queryable, organizationId: string, personId: string): Promise<boolean> =>
    (await one(db, isOnlyHere, { organizationId, personId }))?.isOnlyHere ?? false,
  setRole: (db: Queryable, organizationId: string, personId: string, role: Role) =>
    db.query(setRole, { organizationId, personId, role }),
  remove: (db: Queryable, organizationId: string, personId: string) =>
    db.query(remove, { organizationId, personId }),
  organizationsOf: (db: Queryable, personId: string) => db.query(organizationsOf, { personId }),
}
