import { one, type Queryable, statement } from '../../platform/database/database.ts'

export type OAuthAppKind = 'given' | 'registered' | 'metadata_document'
export type OAuthAppRow = {
  id: string
  connector_slug: string
  kind: OAuthAppKind
  context: string
  client_id: string
  sealed_secret: Buffer | null
  client_authentication: 'client_secret_basic' | 'client_secret_post' | 'none' | null
  scopes: string[] | null
  created_at: Date
  updated_at: Date
}
export type NewOAuthApp = Omit<OAuthAppRow, 'created_at' | 'updated_at'> & { organizationId: string }

const COLUMNS =
  'id, connector_slug, kind, context, client_id, sealed_secret, client_authentication, scopes, created_at, updated_at'

const selectCurrent = statement<OAuthAppRow>(
  'oauth_apps.current',
  `select ${COLUMNS} from oauth_apps where organization_id = $1 and connector_slug = $2 and superseded_at is null`,
)
const selectById = statement<OAuthAppRow>(
  'oauth_apps.by_id',
  `select ${COLUMNS} from oauth_apps where organization_id = $1 and id = $2`,
)
const selectSlugs = statement<{ connector_slug: string }>(
  'oauth_apps.slugs',
  'select connector_slug from oauth_apps where organization_id = $1 and superseded_at is null',
)
const selectOfClient = statement<{ id: string }>(
  'oauth_apps.of_client',
  'select id from oauth_apps where organization_id = $1 and connector_slug = any($2) and client_id = $3',
)
// Serializes changes of an organization's apps, because a secret is sealed for the ID of its row.
const lockOrganization = statement<never>(
  'oauth_apps.lock_organization',
  'select from organizations where id = $1 for no key update',
)
const supersede = statement<never>(
  'oauth_apps.supersede',
  `update oauth_apps set superseded_at = app_now()
   where organization_id = $1 and connector_slug = $2 and superseded_at is null and client_id <> $3`,
)
// A new secret of the same client updates the app, and its credentials refresh with the new secret.
const upsert = statement<OAuthAppRow>(
  'oauth_apps.upsert',
  `insert into oauth_apps (organization_id, id, connector_slug, kind, context, client_id, sealed_secret, client_authentication, scopes)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
   on conflict (organization_id, connector_slug) where superseded_at is null do update set
     kind = excluded.kind, sealed_secret = excluded.sealed_secret, client_authentication = excluded.client_authentication,
     scopes = excluded.scopes, updated_at = app_now()
   returning ${COLUMNS}`,
)
const deleteAll = statement<{ id: string }>(
  'oauth_apps.delete_all',
  'delete from oauth_apps where organization_id = $1 and connector_slug = $2 returning id',
)

export const oauthAppStore = {
  current: (db: Queryable, organizationId: string, slug: string) =>
    one(db, selectCurrent, [organizationId, slug]),
  byId: (db: Queryable, organizationId: string, id: string) => one(db, selectById, [organizationId, id]),
  slugs: (db: Queryable, organizationId: string) => db.query(selectSlugs, [organizationId]),
  ofClient: (db: Queryable, organizationId: string, slugs: string[], clientId: string) =>
    db.query(selectOfClient, [organizationId, slugs, clientId]),
  lockOrganization: (tx: Queryable, organizationId: string) => tx.query(lockOrganization, [organizationId]),
  supersedeOthers: (tx: Queryable, organizationId: string, slug: string, clientId: string) =>
    tx.query(supersede, [organizationId, slug, clientId]),
  upsert: (tx: Queryable, app: NewOAuthApp) =>
    one(tx, upsert, [
      app.organizationId,
      app.id,
      app.connector_slug,
      app.kind,
      app.context,
      app.client_id,
      app.sealed_secret,
      app.client_authentication,
      app.scopes,
    ]) as Promise<OAuthAppRow>,
  deleteAll: (tx: Queryable, organizationId: string, slug: string) =>
    tx.query(deleteAll, [organizationId, slug]),
}
