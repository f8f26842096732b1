import type { LinkBinding } from '@carabiner/contract'
import type { Mode } from '../../../core/mode.ts'
import type { OrganizationState } from '../../../core/organization-state.ts'
import { one, type Queryable } from '../../../platform/database/database.ts'
import {
  array,
  boolean,
  bytea,
  double,
  integer,
  jsonb,
  nullable,
  text,
  timestamptz,
  typed,
  uuid,
  type Values,
} from '../../../platform/database/sql-types.ts'
import { statement } from '../../../platform/database/statement.ts'
import type { Settings } from '../../organizations/link-customization.ts'
import type { NamedRow } from '../../pages/handle.ts'
import type { PageOwner } from '../../pages/page-response.ts'
import type { ConnectionsLinkFacts } from './connections-link.ts'

const linkColumns = {
  organizationId: uuid,
  organizationState: typed<OrganizationState>(text),
  organizationName: text,
  linkBinding: typed<LinkBinding>(text),
  id: uuid,
  registeredUserId: uuid,
  mode: typed<Mode>(text),
  originUserId: text,
  originUserName: nullable(text),
  userEmail: nullable(text),
  browserHash: nullable(bytea),
  expired: boolean,
  userActive: boolean,
  endedWithUser: boolean,
  settings: nullable(typed<Settings>(jsonb)),
  lightLogo: nullable(text),
  darkLogo: nullable(text),
  allowedOrigins: array(text),
}
type LinkRow = Values<typeof linkColumns>

export type StoredConnectionsLink = PageOwner & {
  id: string
  registeredUserId: string
  organizationState: OrganizationState
  linkBinding: LinkBinding
  /** Null until a person has opened the page. */
  browserHash: Buffer | null
  facts: ConnectionsLinkFacts
}

const toLink = (row: LinkRow): StoredConnectionsLink => ({
  ...row,
  organization: { name: row.organizationName },
  user: { id: row.originUserId, name: row.originUserName, email: row.userEmail },
  callbackUrl: null,
  facts: { expired: row.expired, userActive: row.userActive, endedWithUser: row.endedWithUser },
})

const LINK = `
  select l.organization_id, o.state as organization_state, o.name as organization_name, o.link_binding, l.id,
    l.registered_user_id, u.mode, u.origin_user_id, u.origin_user_name, u.email as user_email, l.browser_hash,
    l.expires_at <= app_now() as expired, u.is_active as user_active, l.minted_at <= u.sessions_ended_at as ended_with_user,
    b.settings, b.light_logo, b.dark_logo,
    array(select c.origin from callback_origins c where c.organization_id = l.organization_id order by c.origin) as allowed_origins
  from connections_links l
  left join link_brands b on b.organization_id = l.organization_id
  join registered_users u on u.organization_id = l.organization_id and u.id = l.registered_user_id
  join organizations o on o.id = l.organization_id`

const linkBySecret = statement({
  name: 'connections_links.by_secret',
  parameters: { hash: bytea },
  columns: linkColumns,
  sql: `${LINK} where l.secret_hash = :hash`,
})
const linkByKey = statement({
  name: 'connections_links.by_key',
  parameters: { organizationId: uuid, id: uuid },
  columns: linkColumns,
  sql: `${LINK} where l.organization_id = :organizationId and l.id = :id`,
})
// Checks and insert are one statement, so that no condition can change between them.
const mintLink = statement({
  name: 'connections_links.mint',
  parameters: {
    organizationId: uuid,
    mode: text,
    registeredUserId: uuid,
    id: uuid,
    secretHash: bytea,
    lifetimeSeconds: double,
  },
  columns: { userActive: boolean, expiresAt: nullable(timestamptz) },
  sql: `with owner as (
     select u.organization_id, u.id, u.is_active from registered_users u
     join organizations o on o.id = u.organization_id and o.state = 'active'
     where u.organization_id = :organizationId and u.id = :registeredUserId and u.mode = :mode
   ), minted as (
     insert into connections_links (organization_id, id, registered_user_id, secret_hash, expires_at)
     select organization_id, :id, id, :secretHash, app_now() + make_interval(secs => :lifetimeSeconds) from owner where is_active
     returning expires_at
   )
   select w.is_active as user_active, m.expires_at from owner w left join minted m on true`,
})
// The first of two concurrent browsers wins. Binding the same browser again has no effect.
const bindBrowser = statement({
  name: 'connections_links.bind',
  parameters: { organizationId: uuid, id: uuid, browserHash: bytea },
  columns: { id: uuid },
  sql: `update connections_links set browser_hash = :browserHash
   where organization_id = :organizationId and id = :id and expires_at > app_now()
     and (browser_hash is null or browser_hash = :browserHash)
   returning id`,
})
const countKeyCheck = statement({
  name: 'connections_links.count_key_check',
  parameters: { organizationId: uuid, id: uuid, most: integer },
  columns: { id: uuid },
  sql: `update connections_links set key_checks = key_checks + 1
   where organization_id = :organizationId and id = :id and key_checks < :most and expires_at > app_now()
   returning id`,
})
// The Tool Pack of the latest link of the connector if it still offers the connector, otherwise the default pack, otherwise any other.
const packOffering = statement({
  name: 'connections_links.pack_offering',
  parameters: { organizationId: uuid, registeredUserId: uuid, connectorSlug: text },
  columns: { id: uuid },
  sql: `select p.id from admission_packs p
   where p.organization_id = :organizationId and coalesce(:connectorSlug = any(p.connectors), true)
   order by p.id = (
       select s.tool_pack_id from link_sessions s
       where s.organization_id = :organizationId and s.registered_user_id = :registeredUserId
         and s.connector_slug = :connectorSlug and s.status in ('completed', 'code_issued')
       order by s.completed_at desc limit 1) desc nulls last, p.is_default desc, p.id
   limit 1`,
})
// For 30 days, an expired link can still be distinguished from an unknown one.
const deleteOld = statement({
  name: 'connections_links.delete_old',
  sql: `delete from connections_links where expires_at < app_now() - interval '30 days'
   and organization_id not in (select id from unserved_organizations)`,
})

export type NewConnectionsLink = {
  organizationId: string
  mode: Mode
  registeredUserId: string
  id: string
  secretHash: Buffer
}

export const connectionsLinkStore = {
  findBySecret: async (db: Queryable, hash: Buffer): Promise<StoredConnectionsLink | null> => {
    const row = await one(db, linkBySecret, { hash })
    return row && toLink(row)
  },
  find: async (db: Queryable, key: NamedRow): Promise<StoredConnectionsLink | null> => {
    const row = await one(db, linkByKey, key)
    return row && toLink(row)
  },
  /** Null if there is no such user. `expiresAt` is null if the user is inactive. */
  mint: (db: Queryable, link: NewConnectionsLink, lifetimeSeconds: number) =>
    one(db, mintLink, { ...link, lifetimeSeconds }),
  /** Returns false if another browser has used the link first. */
  bind: async (db: Queryable, { organizationId, id }: NamedRow, browserHash: Buffer): Promise<boolean> =>
    (await one(db, bindBrowser, { organizationId, id, browserHash })) !== null,
  /** A form could be used to guess secrets, so the number of checks per link is limited across all nodes. Returns false at the limit. */
  countKeyCheck: async (db: Queryable, { organizationId, id }: NamedRow, most: number): Promise<boolean> =>
    (await one(db, countKeyCheck, { organizationId, id, most })) !== null,
  packOffering: async (
    db: Queryable,
    user: { organizationId: string; registeredUserId: string },
    connectorSlug: string,
  ): Promise<string | null> =>
    (
      await one(db, packOffering, {
        organizationId: user.organizationId,
        registeredUserId: user.registeredUserId,
        connectorSlug,
      })
    )?.id ?? null,
  deleteOld: (db: Queryable) => db.query(deleteOld),
}
