import type { Mode } from '../../../core/mode.ts'
import { isServed, type OrganizationState } from '../../../core/organization-state.ts'
import { one, type Queryable } from '../../../platform/database/database.ts'
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
} from '../../../platform/database/sql-types.ts'
import { statement } from '../../../platform/database/statement.ts'

export type SettingsOwner = { organizationId: string; mode: Mode }

const settingsColumns = {
  id: uuid,
  organizationId: uuid,
  mode: typed<Mode>(text),
  issuer: nullable(text),
  clientId: nullable(text),
  sealedSecret: nullable(bytea),
  scopes: array(text),
  userClaim: text,
  trustEmail: boolean,
  createUsers: boolean,
  acceptAssertions: boolean,
  forApprovals: boolean,
  signInUrl: nullable(text),
  toolPackIds: nullable(array(uuid)),
  updatedAt: timestamptz,
}
export type StoredSettings = Values<typeof settingsColumns>
export type NewSettings = Omit<StoredSettings, 'organizationId' | 'mode' | 'updatedAt'>

const COLUMNS = `id, organization_id, mode, issuer, client_id, sealed_secret, scopes, user_claim, trust_email, create_users, accept_assertions,
  for_approvals, sign_in_url, tool_pack_ids, updated_at`

const selectSettings = statement({
  name: 'sign_in_settings.find',
  parameters: { organizationId: uuid, mode: text },
  columns: settingsColumns,
  sql: `select ${COLUMNS} from sign_in_settings where organization_id = :organizationId and mode = :mode`,
})
const saveSettings = statement({
  name: 'sign_in_settings.save',
  parameters: {
    organizationId: uuid,
    mode: text,
    id: uuid,
    issuer: nullable(text),
    clientId: nullable(text),
    sealedSecret: nullable(bytea),
    scopes: array(text),
    userClaim: text,
    trustEmail: boolean,
    createUsers: boolean,
    acceptAssertions: boolean,
    forApprovals: boolean,
    signInUrl: nullable(text),
    toolPackIds: nullable(array(uuid)),
  },
  columns: settingsColumns,
  sql: `insert into sign_in_settings (organization_id, mode, id, issuer, client_id, sealed_secret, scopes, user_claim, trust_email,
     create_users, accept_assertions, for_approvals, sign_in_url, tool_pack_ids)
   values (:organizationId, :mode, :id, :issuer, :clientId, :sealedSecret, :scopes, :userClaim, :trustEmail, :createUsers, :acceptAssertions,
     :forApprovals, :signInUrl, :toolPackIds)
   on conflict (organization_id, mode) do update set id = excluded.id, issuer = excluded.issuer, client_id = excluded.client_id,
     sealed_secret = excluded.sealed_secret, scopes = excluded.scopes, user_claim = excluded.user_claim,
     trust_email = excluded.trust_email, create_users = excluded.create_users, accept_assertions = excluded.accept_assertions,
     for_approvals = excluded.for_approvals or sign_in_settings.for_approvals
       and (sign_in_settings.issuer, sign_in_settings.client_id, sign_in_settings.user_claim, sign_in_settings.trust_email)
         is not distinct from (excluded.issuer, excluded.client_id, excluded.user_claim, excluded.trust_email),
     sign_in_url = excluded.sign_in_url, tool_pack_ids = excluded.tool_pack_ids, updated_at = app_now()
   returning ${COLUMNS}`,
})
const deleteSettings = statement({
  name: 'sign_in_settings.delete',
  parameters: { organizationId: uuid, mode: text },
  columns: { id: uuid },
  sql: `delete from sign_in_settings where organization_id = :organizationId and mode = :mode returning id`,
})
const selectModes = statement({
  name: 'sign_in_settings.modes',
  parameters: { organizationId: uuid },
  columns: { mode: text, state: typed<OrganizationState>(text) },
  sql: `select s.mode, o.state from sign_in_settings s join organizations o on o.id = s.organization_id
   where s.organization_id = :organizationId`,
})
const knownPacks = statement({
  name: 'sign_in_settings.packs',
  parameters: { organizationId: uuid, ids: array(uuid) },
  columns: { id: uuid },
  sql: `select id from tool_pack_names where organization_id = :organizationId and id = any(:ids)`,
})

export const settingsStore = {
  find: (db: Queryable, { organizationId, mode }: SettingsOwner) =>
    one(db, selectSettings, { organizationId, mode }),
  /** Whether users of any mode sign in, and the organization is served. */
  isOn: async (db: Queryable, organizationId: string): Promise<boolean> =>
    (await db.query(selectModes, { organizationId })).some(({ state }) => isServed(state)),
  save: async (db: Queryable, { organizationId, mode }: SettingsOwner, settings: NewSettings) =>
    (await one(db, saveSettings, { organizationId, mode, ...settings })) as StoredSettings,
  delete: async (db: Queryable, { organizationId, mode }: SettingsOwner): Promise<boolean> =>
    (await one(db, deleteSettings, { organizationId, mode })) !== null,
  /** The existing packs among these IDs. */
  packs: async (db: Queryable, organizationId: string, ids: string[]): Promise<string[]> =>
    (await db.query(knownPacks, { organizationId, ids })).map(({ id }) => id),
}
