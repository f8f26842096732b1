import type { CallerType } from '@carabiner/contract'
import type { JsonObject } from '../../../../core/json/object.ts'
import { one, type Queryable } from '../../../../platform/database/database.ts'
import {
  boolean,
  bytea,
  integer,
  jsonb,
  nullable,
  text,
  typed,
  uuid,
} from '../../../../platform/database/sql-types.ts'
import { statement } from '../../../../platform/database/statement.ts'
import { clientOfKey } from '../../admission/client-of-key.ts'

const readFacts = statement({
  name: 'policies.call_facts',
  parameters: { organizationId: uuid, userId: uuid, credentialId: nullable(uuid), keyHash: nullable(bytea) },
  columns: {
    originUserId: text,
    metadata: typed<JsonObject>(jsonb),
    account: nullable(text),
    accountId: nullable(text),
    linkGeneration: nullable(integer),
    ofOrganization: nullable(boolean),
    accountOwner: nullable(uuid),
    clientId: nullable(text),
    clientType: nullable(typed<CallerType>(text)),
  },
  sql: `select u.origin_user_id, u.metadata, c.account, c.account_id, c.link_generation, o.kind = 'organization' as of_organization,
     case when o.kind <> 'organization' then o.id end as account_owner,
     k.client_id, k.client_type
   from registered_users u
   left join credentials c on c.organization_id = u.organization_id and c.id = :credentialId
   left join registered_users o on o.organization_id = c.organization_id and o.id = c.registered_user_id
   left join ${clientOfKey('u.organization_id')} k on true
   where u.organization_id = :organizationId and u.id = :userId`,
})

export type CallFactsOf = {
  organizationId: string
  userId: string
  credentialId: string | null
  /** Null: the caller is not a key. */
  keyHash: Buffer | null
}

export const callFactsStore = {
  /** Facts that the admission does not have, because only some rules read them. */
  read: (db: Queryable, call: CallFactsOf) => one(db, readFacts, call),
}
