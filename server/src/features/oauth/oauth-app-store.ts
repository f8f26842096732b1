import { one, type Queryable } from '../../platform/database/database.ts'
import {
  array,
  boolean,
  bytea,
  nullable,
  text,
  timestamptz,
  typed,
  uuid,
  type Values,
} from '../../platform/database/sql-types.ts'
import { statement } from '../../platform/database/statement.ts'

export type OAuthAppKind = 'given' | 'registered' | 'metadata_document'
const oAuthAppColumns = {
  id: uuid,
  connectorSlug: text,
  kind: typed<OAuthAppKind>(text),
  context: text,
  clientId: text,
  sealedSecret: nullable(bytea),
  clientAuthentication: nullable(typed<'client_secret_basic' | 'client_secret_post' | 'none'>(text)),
  scopes: nullable(array(text)),
  testMode: boolean,
  createdAt: timestamptz,
  updatedAt: timestamptz,
}
export type StoredOAuthApp = Values<typeof oAuthAppColumns>
export type NewOAuthApp = Omit<StoredOAuthApp, 'createdAt' | 'updatedAt'> & { organizationId: string }

const COLUMNS =
  'id, connector_slug, kind, context, client_id, sealed_secret, client_authentication, scopes, test_mode, created_at, updated_at'

const selectCurrent = statement({
  name: 'oauth_apps.current',
  parameters: { organizationId: uuid, slug: text },
  columns: oAuthAppColumns,
  sql: `select ${COLUMNS} from oauth_apps where organization_id = :organizationId and connector_slug = :slug
   and superseded_at is null`,
})
const selectById = statement({
  name: 'oauth_apps.by_id',
  parameters: { organizationId: uuid, id: uuid },
  columns: oAuthAppColumns,
  sql: `select ${COLUMNS} from oauth_apps where organization_id = :organizationId and id = :id`,
})
const selectSlugs = statement({
  name: 'oauth_apps.slugs',
  parameters: { organizationId: uuid },
  columns: { connectorSlug: text },
  sql: 'select connector_slug from oauth_apps where organization_id = :organizationId and superseded_at is null',
})
const selectOfClient = statement({
  name: 'oauth_apps.of_client',
  parameters: { organizationId: uuid, slugs: array(text), clientId: text },
  columns: { id: uuid },
  sql: `select id from oauth_apps where organization_id = :organizationId and connector_slug = any(:slugs)
   and client_id = :clientId`,
})
// Serializes changes of an organization's apps, because a secret is sealed for the ID of its row.
const lockOrganization = statement({
  name: 'oauth_apps.lock_organization',
  parameters: { organizationId: uuid },
  sql: 'select from organizations where id = :organizationId for no key update',
})
const supersede = statement({
  name: 'oauth_apps.supersede',
  parameters: { organizationId: uuid, slug: text, clientId: text },
  sql: `update oauth_apps set superseded_at = app_now()
   where organization_id = :organizationId and connector_slug = :slug and superseded_at is null and client_id <> :clientId`,
})
// A new secret of the same client updates the app, and its credentials refresh with the new secret.
const upsert = statement({
  name: 'oauth_apps.upsert',
  parameters: {
    organizationId: uuid,
    id: uuid,
    connectorSlug: text,
    kind: text,
    context: text,
    clientId: text,
    sealedSecret: nullable(bytea),
    clientAuthentication: nullable(text),
    scopes: nullable(array(text)),
    testMode: boolean,
  },
  columns: oAuthAppColumns,
  sql: `insert into oauth_apps (organization_id, id, connector_slug, kind, context, client_id, sealed_secret,
   client_authentication, scopes, test_mode)
   values (:organizationId, :id, :connectorSlug, :kind, :context, :clientId, :sealedSecret, :clientAuthentication, :scopes, :testMode)
   on conflict (organization_id, connector_slug) where superseded_at is null do update set
     kind = excluded.kind, sealed_secret = excluded.sealed_secret, client_authentication = excluded.client_authentication,
     scopes = excluded.scopes, test_mode = excluded.test_mode, updated_at = app_now()
   returning ${COLUMNS}`,
})
const deleteAll = statement({
  name: 'oauth_apps.delete_all',
  parameters: { organizationId: uuid, slug: text },
  columns: { id: uuid },
  sql: 'delete from oauth_apps where organization_id = :organizationId and connector_slug = :slug returning id',
})

export const oauthAppStore = {
  current: (db: Queryable, organizationId: string, slug: string) =>
    one(db, selectCurrent, { organizationId, slug }),
  byId: (db: Queryable, organizationId: string, id: string) => one(db, selectById, { organizationId, id }),
  slugs: (db: Queryable, organizationId: string) => db.query(selectSlugs, { organizationId }),
  ofClient: (db: Queryable, organizationId: string, slugs: string[], clientId: string) =>
    db.query(selectOfClient, { organizationId, slugs, clientId }),
  lockOrganization: (tx: Queryable, organizationId: string) => tx.query(lockOrganization, { organizationId }),
  supersedeOthers: (tx: Queryable, organizationId: string, slug: string, clientId: string) =>
    tx.query(supersede, { organizationId, slug, clientId }),
  upsert: (tx: Queryable, app: NewOAuthApp) => one(tx, upsert, app) as Promise<StoredOAuthApp>,
  deleteAll: (tx: Queryable, organizationId: string, slug: string) =>
    tx.query(deleteAll, { organizationId, slug }),
}
