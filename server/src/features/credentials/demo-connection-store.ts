import { Secret } from '../../core/secret.ts'
import { newUuid } from '../../core/uuid.ts'
import { one, type Queryable } from '../../platform/database/database.ts'
import { bytea, text, uuid } from '../../platform/database/sql-types.ts'
import { statement } from '../../platform/database/statement.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import { sealSecret } from './credential-secret.ts'

const selectDataKey = statement({
  name: 'credentials.demo_data_key',
  parameters: { organizationId: uuid, registeredUserId: uuid },
  columns: { dataKey: bytea },
  sql: 'select data_key from registered_users where organization_id = :organizationId and id = :registeredUserId',
})
const insertConnection = statement({
  name: 'credentials.insert_demo_connection',
  parameters: {
    organizationId: uuid,
    registeredUserId: uuid,
    id: uuid,
    connectorSlug: text,
    secretId: uuid,
    sealed: bytea,
    account: text,
  },
  sql: `insert into credentials
     (organization_id, id, registered_user_id, connector_slug, label, status, secret_id, sealed, method, scopes, account, created_at, updated_at)
   values (:organizationId, :id, :registeredUserId, :connectorSlug, :account, 'active', :secretId, :sealed, 'api_key', '{}', :account,
     app_now() - interval '14 days', app_now() - interval '14 days')`,
})

type DemoConnection = {
  organizationId: string
  registeredUserId: string
  connectorSlug: string
  account: string
  key: string
}

export const demoConnectionStore = {
  /** An account that a user of the demo organization connected two weeks ago, with an API key of the sandbox. */
  insert: async (
    db: Queryable,
    vault: Vault,
    { organizationId, registeredUserId, connectorSlug, account, key }: DemoConnection,
  ): Promise<void> => {
    const user = await one(db, selectDataKey, { organizationId, registeredUserId })
    if (!user) throw new Error('the user of the demo organization does not exist')
    const secretId = newUuid()
    const owner = { organizationId, registeredUserId, connectorSlug, secretId }
    const dataKey = await vault.openUserKey(organizationId, registeredUserId, user.dataKey)
    const sealed = sealSecret(dataKey, owner, {
      kind: 'api_key',
      fields: { api_key: new Secret(key) },
      tenant: {},
    })
    await db.query(insertConnection, { ...owner, id: newUuid(), sealed, account })
  },
}
