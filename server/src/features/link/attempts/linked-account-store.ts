import type { Queryable } from '../../../platform/database/database.ts'
import { boolean, nullable, text, uuid } from '../../../platform/database/sql-types.ts'
import { statement } from '../../../platform/database/statement.ts'
import type { StoredSession } from '../sessions/link-session-store.ts'

const selectLinked = statement({
  name: 'link.linked_accounts',
  parameters: { organizationId: uuid, registeredUserId: uuid, connectorSlug: text },
  columns: { id: uuid, label: text, account: nullable(text), identity: nullable(text), isShared: boolean },
  sql: `select id, label, account, account_identity as identity,
     exists (select from credential_shares x where x.organization_id = :organizationId and x.credential_id = l.id) as is_shared
   from linked_accounts l
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
