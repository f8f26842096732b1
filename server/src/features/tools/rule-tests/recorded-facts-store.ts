import type { JsonObject } from '../../../core/json/object.ts'
import type { Queryable } from '../../../platform/database/database.ts'
import { array, boolean, jsonb, nullable, text, typed, uuid } from '../../../platform/database/sql-types.ts'
import { statement } from '../../../platform/database/statement.ts'

const readUsers = statement({
  name: 'policies.recorded_users',
  parameters: { organizationId: uuid, ids: array(uuid) },
  columns: { id: uuid, originUserId: text, metadata: typed<JsonObject>(jsonb) },
  sql: `select id, origin_user_id, metadata from registered_users
   where organization_id = :organizationId and id = any(:ids::uuid[])`,
})

const readAccounts = statement({
  name: 'policies.recorded_accounts',
  parameters: { organizationId: uuid, ids: array(uuid) },
  columns: { id: uuid, identity: nullable(text), ownerId: uuid, ofOrganization: boolean },
  sql: `select c.id, c.account as identity, o.id as owner_id, o.kind = 'organization' as of_organization
   from credentials c
   join registered_users o on o.organization_id = c.organization_id and o.id = c.registered_user_id
   where c.organization_id = :organizationId and c.id = any(:ids::uuid[])`,
})

/** Users and accounts of recorded calls, as they are now. */
export const recordedFactsStore = {
  users: (db: Queryable, organizationId: string, ids: string[]) =>
    db.query(readUsers, { organizationId, ids }),
  accounts: (db: Queryable, organizationId: string, ids: string[]) =>
    db.query(readAccounts, { organizationId, ids }),
}
