import type { LinkTheme } from '@carabiner/contract'
import type { OrganizationState } from '../../core/organization-state.ts'
import { one, type Queryable } from '../../platform/database/database.ts'
import {
  array,
  boolean,
  bytea,
  integer,
  jsonb,
  nullable,
  text,
  timestamptz,
  typed,
  uuid,
  type Values,
} from '../../platform/database/sql-types.ts'
import { statement } from '../../platform/database/statement.ts'
import type { CheckedPatch } from './customization-patch.ts'
import type { Settings } from './link-customization.ts'
import type { Logo } from './logo.ts'

const customizationColumns = {
  settings: typed<Settings>(jsonb),
  updatedAt: nullable(timestamptz),
  logos: nullable(typed<Partial<Record<LinkTheme, { hash: string; width: number; height: number }>>>(jsonb)),
}
export type StoredCustomization = Values<typeof customizationColumns>

const selectCustomization = statement({
  name: 'link_customizations.select',
  parameters: { organizationId: uuid },
  columns: customizationColumns,
  sql: `select settings, updated_at,
     (select jsonb_object_agg(theme, jsonb_build_object('hash', encode(hash, 'hex'), 'width', width, 'height', height))
      from link_logos l where l.organization_id = c.organization_id) as logos
   from link_customizations c where organization_id = :organizationId`,
})
const LISTED = `listed as (
     select :redirectOrigin::text is null or exists (
       select from callback_origins where organization_id = :organizationId and origin = :redirectOrigin) as ok)`
// Merged in SQL, so that of two concurrent patches each keeps the fields that the other did not set.
const saveSettings = statement({
  name: 'link_customizations.save',
  parameters: { organizationId: uuid, set: jsonb, cleared: array(text), redirectOrigin: nullable(text) },
  columns: { listed: boolean },
  sql: `with ${LISTED}, saved as (
     insert into link_customizations as c (organization_id, settings, updated_at)
     select :organizationId, :set::jsonb, app_now() from listed where ok
     on conflict (organization_id) do update
       set settings = (c.settings || :set::jsonb) - :cleared::text[], updated_at = app_now()
   )
   select ok as listed from listed`,
})
const saveDraft = statement({
  name: 'link_customizations.save_draft',
  parameters: { organizationId: uuid, set: jsonb, cleared: array(text), redirectOrigin: nullable(text) },
  columns: { listed: boolean },
  sql: `with ${LISTED}, saved as (
     insert into link_customizations as c (organization_id, draft)
     select :organizationId, :set::jsonb from listed where ok
     on conflict (organization_id) do update set draft = (c.settings || :set::jsonb) - :cleared::text[]
   )
   select ok as listed from listed`,
})
const selectBrand = statement({
  name: 'link_customizations.brand',
  parameters: { organizationId: uuid, draft: boolean },
  columns: {
    organizationId: uuid,
    settings: nullable(typed<Settings>(jsonb)),
    lightLogo: nullable(text),
    darkLogo: nullable(text),
    organizationName: text,
    organizationState: typed<OrganizationState>(text),
  },
  sql: `select o.id as organization_id, o.name as organization_name, o.state as organization_state, case when :draft then coalesce(c.draft,
   b.settings) else b.settings end as settings,
     b.light_logo, b.dark_logo
   from organizations o
   left join link_brands b on b.organization_id = o.id
   left join link_customizations c on c.organization_id = o.id
   where o.id = :organizationId`,
})
const putLogo = statement({
  name: 'link_logos.put',
  parameters: { organizationId: uuid, theme: text, hash: bytea, png: bytea, width: integer, height: integer },
  sql: `with touched as (
     insert into link_customizations (organization_id, updated_at) values (:organizationId, app_now())
     on conflict (organization_id) do update set updated_at = app_now()
   )
   insert into link_logos (organization_id, theme, hash, png, width, height)
     values (:organizationId, :theme, :hash, :png, :width, :height)
   on conflict (organization_id, theme) do update
     set hash = excluded.hash, png = excluded.png, width = excluded.width, height = excluded.height`,
})
const deleteLogo = statement({
  name: 'link_logos.delete',
  parameters: { organizationId: uuid, theme: text },
  columns: { organizationId: uuid },
  sql: `with deleted as (delete from link_logos where organization_id = :organizationId and theme = :theme
   returning organization_id)
   update link_customizations c set updated_at = app_now() from deleted d where c.organization_id = d.organization_id
   returning c.organization_id`,
})
const selectLogo = statement({
  name: 'link_logos.select',
  parameters: { organizationId: uuid, hash: bytea },
  columns: { png: bytea },
  sql: `select png from link_logos l where organization_id = :organizationId and hash = :hash
     and exists (select from organizations o where o.id = l.organization_id and o.state not in ('moved', 'deleting'))
   limit 1`,
})

const save = async (
  db: Queryable,
  into: typeof saveSettings,
  organizationId: string,
  { set, cleared, redirectOrigin }: CheckedPatch,
): Promise<boolean> =>
  (await one(db, into, { organizationId, set, cleared, redirectOrigin }))?.listed ?? false

export const linkCustomizationStore = {
  find: (db: Queryable, organizationId: string) => one(db, selectCustomization, { organizationId }),
  /** Returns false, and saves nothing, if the origin of redirect_uri is not allowed. */
  save: (db: Queryable, organizationId: string, patch: CheckedPatch) =>
    save(db, saveSettings, organizationId, patch),
  /** Stores the settings with this patch applied as the draft. Returns false like `save`. */
  saveDraft: (db: Queryable, organizationId: string, patch: CheckedPatch) =>
    save(db, saveDraft, organizationId, patch),
  findBrand: (db: Queryable, organizationId: string, draft: boolean) =>
    one(db, selectBrand, { organizationId, draft }),

  putLogo: (db: Queryable, organizationId: string, theme: LinkTheme, { hash, png, width, height }: Logo) =>
    db.query(putLogo, { organizationId, theme, hash, png, width, height }),
  deleteLogo: (db: Queryable, organizationId: string, theme: LinkTheme) =>
    one(db, deleteLogo, { organizationId, theme }),
  findLogo: (db: Queryable, organizationId: string, hash: Buffer) =>
    one(db, selectLogo, { organizationId, hash }),
}
