import type { Queryable } from '../../../platform/database/database.ts'
import { nullable, text, uuid } from '../../../platform/database/sql-types.ts'
import { statement } from '../../../platform/database/statement.ts'
import type { StoredSession } from '../sessions/link-session-store.ts'

const selectLinked = statement({
  name: 'link.linked_accounts',
  parameters: { organizationId: uuid, registeredUserId: uuid, connectorSlug: text },
  columns: { id: uuid, label: text, account: nullable(text), identity: nullable(text) },
  sql: `select id, label, account, account_identity as identity from linked_accounts
   where organization_id = :organizationId and registered_user_id = :registeredUserId and connector_slug = :connectorSlug
   order by label`,
})

export const linkedAccountStore = {
  /** The user's accounts of a connector. */
  of: (
    db: Queryable,
    { organizationId, registeredUserId }: Pick<StoredSession, 'organizationId' | 'registeredUserId'>,
    connectorSlug: string,
  ) => db.query(selectLinked, { organizationId, registeredUserId, connectorSlug }),
}
