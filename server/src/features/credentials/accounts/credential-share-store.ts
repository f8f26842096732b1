import type { Mode } from '../../../core/mode.ts'
import { NIL_UUID } from '../../../core/uuid.ts'
import type { Queryable } from '../../../platform/database/database.ts'
import { array, boolean, nullable, text, uuid } from '../../../platform/database/sql-types.ts'
import { statement } from '../../../platform/database/statement.ts'

export type CredentialKey = { organizationId: string; credentialId: string }
export type ShareTargets = { everyone: boolean; userIds: string[]; packIds: string[] }

const deleteShares = statement({
  name: 'credential_shares.delete',
  parameters: { organizationId: uuid, credentialId: uuid },
  sql: 'delete from credential_shares where organization_id = :organizationId and credential_id = :credentialId',
})
const insertShares = statement({
  name: 'credential_shares.insert',
  parameters: {
    organizationId: uuid,
    credentialId: uuid,
    mode: text,
    everyone: boolean,
    userIds: array(uuid),
    packIds: array(uuid),
  },
  columns: { registeredUserId: nullable(uuid), toolPackId: nullable(uuid) },
  sql: `insert into credential_shares (organization_id, credential_id, owner_id, connector_slug, registered_user_id, tool_pack_id,
     grantee)
   select c.organization_id, c.id, c.registered_user_id, c.connector_slug, t.user_id, t.pack_id, coalesce(t.user_id, t.pack_id, '${NIL_UUID}')
   from credentials c cross join (
     select null::uuid as user_id, null::uuid as pack_id where :everyone::boolean
     union all
     select u.id, null from registered_users u
       where u.organization_id = :organizationId and u.mode = :mode and u.kind = 'user' and u.id = any(:userIds::uuid[])
     union all
     select null, p.id from tool_packs p where p.organization_id = :organizationId and p.id = any(:packIds::uuid[])) t
   where c.organization_id = :organizationId and c.id = :credentialId and c.status <> 'revoked'
   returning registered_user_id, tool_pack_id`,
})

export const credentialShareStore = {
  clear: (tx: Queryable, { organizationId, credentialId }: CredentialKey) =>
    tx.query(deleteShares, { organizationId, credentialId }),
  /** Returns the inserted rows; a user or a pack that does not exist has none. */
  insert: (
    tx: Queryable,
    { organizationId, credentialId }: CredentialKey,
    mode: Mode,
    { everyone, userIds, packIds }: ShareTargets,
  ) => tx.query(insertShares, { organizationId, credentialId, mode, everyone, userIds, packIds }),
}
