import { type RememberPeriod, rememberBounds } from '@carabiner/contract'
import type { Mode } from '../../core/mode.ts'
import { one, type Queryable, type Transaction } from '../../platform/database/database.ts'
import {
  array,
  bigint,
  boolean,
  bytea,
  integer,
  nullable,
  text,
  timestamptz,
  typed,
  uuid,
  type Values,
} from '../../platform/database/sql-types.ts'
import { statement } from '../../platform/database/statement.ts'
import type { Caller } from './frozen-call.ts'

const columns = {
  id: uuid,
  registeredUserId: uuid,
  approverId: uuid,
  approvalId: uuid,
  toolPackId: uuid,
  connectorSlug: text,
  tool: text,
  accountLabel: nullable(text),
  callerType: typed<Caller['type']>(text),
  callerId: text,
  freesTexts: boolean,
  maxUses: integer,
  uses: integer,
  createdAt: timestamptz,
  lastUsedAt: nullable(timestamptz),
  expiresAt: timestamptz,
}
export type StoredGrant = Values<typeof columns>
const COLUMNS = `id, registered_user_id, approver_id, approval_id, tool_pack_id, connector_slug, tool, account_label, caller_type, caller_id,
     frees_texts, max_uses, uses, created_at, last_used_at, expires_at`
const COUNTS = 'revoked_at is null and expires_at > app_now() and uses < max_uses'

const created = {
  organizationId: uuid,
  id: uuid,
  registeredUserId: uuid,
  approverId: uuid,
  approvalId: uuid,
  mode: typed<Mode>(text),
  toolPackId: uuid,
  connectorSlug: text,
  tool: text,
  accountLabel: nullable(text),
  callerType: text,
  callerId: text,
  freesTexts: boolean,
  grantHash: bytea,
  maxUses: integer,
  minutes: integer,
}
const insert = statement({
  name: 'approval_grants.insert',
  parameters: created,
  columns,
  sql: `insert into approval_grants (organization_id, id, registered_user_id, approver_id, approval_id, mode, tool_pack_id, connector_slug,
     tool, account_label, caller_type, caller_id, frees_texts, grant_hash, max_uses, expires_at)
   values (:organizationId, :id, :registeredUserId, :approverId, :approvalId, :mode, :toolPackId, :connectorSlug,
     :tool, :accountLabel, :callerType, :callerId, :freesTexts, :grantHash, :maxUses, app_now() + make_interval(mins => :minutes))
   returning ${COLUMNS}`,
})
// Calls of one user are taken one after the other, so that no two use the last one.
const take = statement({
  name: 'approval_grants.take',
  parameters: { organizationId: uuid, registeredUserId: uuid, hashes: array(bytea) },
  columns: { id: uuid, approverId: uuid },
  sql: `update approval_grants set uses = uses + 1, last_used_at = app_now()
   where organization_id = :organizationId and ${COUNTS} and id = (
     select g.id from approval_grants g
     join registered_users u on u.organization_id = g.organization_id and u.id = g.approver_id and u.is_active
     where g.organization_id = :organizationId and g.registered_user_id = :registeredUserId and g.grant_hash = any(:hashes)
       and g.revoked_at is null and g.expires_at > app_now() and g.uses < g.max_uses
     order by g.expires_at limit 1)
   returning id, approver_id`,
})
const list = statement({
  name: 'approval_grants.list',
  parameters: {
    organizationId: uuid,
    mode: typed<Mode>(text),
    after: nullable(uuid),
    registeredUserId: nullable(uuid),
    limit: bigint,
  },
  columns,
  sql: `select ${COLUMNS} from approval_grants
   where organization_id = :organizationId and mode = :mode and (:after::uuid is null or id < :after) and ${COUNTS}
     and (:registeredUserId::uuid is null or :registeredUserId in (registered_user_id, approver_id))
   order by id desc limit :limit`,
})
const revoke = statement({
  name: 'approval_grants.revoke',
  parameters: { organizationId: uuid, mode: typed<Mode>(text), id: uuid, registeredUserId: nullable(uuid) },
  columns,
  sql: `update approval_grants set revoked_at = app_now()
   where organization_id = :organizationId and mode = :mode and id = :id and revoked_at is null
     and (:registeredUserId::uuid is null or :registeredUserId in (registered_user_id, approver_id))
   returning ${COLUMNS}`,
})
const find = statement({
  name: 'approval_grants.find',
  parameters: { organizationId: uuid, mode: typed<Mode>(text), id: uuid },
  columns: { id: uuid },
  sql: `select id from approval_grants where organization_id = :organizationId and mode = :mode and id = :id`,
})
const deleteEnded = statement({
  name: 'approval_grants.delete_ended',
  sql: `delete from approval_grants where expires_at <= app_now()
   and organization_id not in (select id from unserved_organizations)`,
})

type OfMode = { organizationId: string; mode: Mode; id: string }

export const approvalGrantStore = {
  insert: (
    tx: Transaction,
    grant: Omit<Values<typeof created>, 'maxUses' | 'minutes'>,
    period: RememberPeriod,
  ) => {
    const { minutes, uses } = rememberBounds[period]
    return one(tx, insert, { ...grant, maxUses: uses, minutes })
  },
  /** Uses one of the grants that the call matches. The row of the user is locked. */
  take: (tx: Transaction, of: { organizationId: string; registeredUserId: string; hashes: Buffer[] }) =>
    one(tx, take, of),
  list: (
    db: Queryable,
    of: Pick<OfMode, 'organizationId' | 'mode'> & {
      after: string | null
      registeredUserId: string | null
      limit: number
    },
  ) => db.query(list, of),
  /** `registeredUserId`: only if it is a grant of this user. Null if there is nothing to revoke. */
  revoke: (db: Queryable, of: OfMode, registeredUserId: string | null = null) =>
    one(db, revoke, { ...of, registeredUserId }),
  exists: async (db: Queryable, of: OfMode): Promise<boolean> => (await one(db, find, of)) !== null,
  deleteEnded: (db: Queryable) => db.query(deleteEnded),
}
