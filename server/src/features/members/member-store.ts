import type { Role } from '@carabiner/contract/permissions'
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
  hasAccepted: boolean,
  hasSecondFactor: boolean,
  lastSeenAt: nullable(timestamptz),
  createdAt: timestamptz,
}
export type StoredMember = Values<typeof memberColumns>
// Until the person has accepted, the organization learns nothing about the account.
const MEMBER = `select m.person_id, case when m.accepted_at is null then m.invited_name else p.name end as name, p.email, m.role, m.created_at,
     m.accepted_at is not null as has_accepted, m.accepted_at is not null and p.two_factor_enabled as has_second_factor,
     (select max(s.updated_at) from people_sessions s where s.user_id = p.id and m.accepted_at is not null) as last_seen_at
   from members m join people p on p.id = m.person_id`

const list = statement({
  name: 'members.list',
  parameters: { organizationId: uuid },
  columns: memberColumns,
  sql: `${MEMBER} where m.organization_id = :organizationId order by name, p.email`,
})
const find = statement({
  name: 'members.find',
  parameters: { organizationId: uuid, personId: uuid },
  columns: memberColumns,
  sql: `${MEMBER} where m.organization_id = :organizationId and m.person_id = :personId`,
})
const insert = statement({
  name: 'members.insert',
  parameters: { organizationId: uuid, personId: uuid, role: text, name: text },
  columns: { personId: uuid },
  sql: `insert into members (organization_id, person_id, role, invited_name) values (:organizationId, :personId, :role, :name)
   on conflict do nothing returning person_id`,
})
const accept = statement({
  name: 'members.accept',
  parameters: { organizationId: uuid, personId: uuid },
  columns: { personId: uuid },
  sql: `update members set accepted_at = app_now()
   where organization_id = :organizationId and person_id = :personId and accepted_at is null returning person_id`,
})
const decline = statement({
  name: 'members.decline',
  parameters: { organizationId: uuid, personId: uuid },
  columns: { personId: uuid },
  sql: `delete from members where organization_id = :organizationId and person_id = :personId and accepted_at is null returning person_id`,
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
     select from members where organization_id = :organizationId and role = 'admin' and person_id <> :personId
       and accepted_at is not null) as exists`,
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
   from organizations o left join members m on m.organization_id = o.id and m.person_id = :personId and m.accepted_at is not null
   where o.state in ('active', 'suspended')
     and (m.person_id is not null or exists (select from operators x where x.person_id = :personId))
   order by o.name, o.id limit 500`,
})
const invitationsOf = statement({
  name: 'members.invitations_of',
  parameters: { personId: uuid },
  columns: { id: uuid, name: text, role: typed<Role>(text), invitedAt: timestamptz },
  sql: `select o.id, o.name, m.role, m.created_at as invited_at from members m join organizations o on o.id = m.organization_id
   where m.person_id = :personId and m.accepted_at is null and o.state = 'active' order by m.created_at limit 100`,
})

export const memberStore = {
  list: (db: Queryable, organizationId: string): Promise<StoredMember[]> =>
    db.query(list, { organizationId }),
  find: (db: Queryable, organizationId: string, personId: string): Promise<StoredMember | null> =>
    one(db, find, { organizationId, personId }),
  /** Stores an invitation. False if the person is a member or invited already. */
  insert: async (
    db: Queryable,
    member: { organizationId: string; personId: string; role: Role; name: string },
  ): Promise<boolean> => (await one(db, insert, member)) !== null,
  /** False if there is no invitation, or if it was accepted before. */
  accept: async (db: Queryable, organizationId: string, personId: string): Promise<boolean> =>
    (await one(db, accept, { organizationId, personId })) !== null,
  /** False if there is no invitation, or if it was accepted before. */
  decline: async (db: Queryable, organizationId: string, personId: string): Promise<boolean> =>
    (await one(db, decline, { organizationId, personId })) !== null,
  lockOrganization: (db: Queryable, organizationId: string) => db.query(lockOrganization, { organizationId }),
  hasOtherAdmin: async (db: Queryable, organizationId: string, personId: string): Promise<boolean> =>
    (await one(db, hasOtherAdmin, { organizationId, personId }))?.exists ?? false,
  setRole: (db: Queryable, organizationId: string, personId: string, role: Role) =>
    db.query(setRole, { organizationId, personId, role }),
  remove: (db: Queryable, organizationId: string, personId: string) =>
    db.query(remove, { organizationId, personId }),
  /** Invitations that the person has neither accepted nor declined. */
  invitationsOf: (db: Queryable, personId: string) => db.query(invitationsOf, { personId }),
  organizationsOf: (db: Queryable, personId: string) => db.query(organizationsOf, { personId }),
}
