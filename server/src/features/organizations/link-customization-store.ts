import type { LinkTheme } from '@carabiner/contract'
import { json, one, type Queryable, statement } from '../../platform/database/database.ts'
import type { CheckedPatch } from './customization-patch.ts'
import type { BrandRow, Settings } from './link-customization.ts'
import type { Logo } from './logo.ts'

export type CustomizationRow = {
  settings: Settings
  updated_at: Date | null
  logos: Partial<Record<LinkTheme, { hash: string; width: number; height: number }>> | null
}

const selectCustomization = statement<CustomizationRow>(
  'link_customizations.select',
  `select settings, updated_at,
     (select jsonb_object_agg(theme, jsonb_build_object('hash', encode(hash, 'hex'), 'width', width, 'height', height))
      from link_logos l where l.organization_id = c.organization_id) as logos
   from link_customizations c where organization_id = $1`,
)
const LISTED = `listed as (
     select $4::text is null or exists (select from callback_origins where organization_id = $1 and origin = $4) as ok)`
// Merged in SQL, so that of two concurrent patches each keeps the fields that the other did not set.
const saveSettings = statement<{ listed: boolean }>(
  'link_customizations.save',
  `with ${LISTED}, saved as (
     insert into link_customizations as c (organization_id, settings, updated_at)
     select $1, $2::jsonb, app_now() from listed where ok
     on conflict (organization_id) do update
       set settings = (c.settings || $2::jsonb) - $3::text[], updated_at = app_now()
   )
   select ok as listed from listed`,
)
const saveDraft = statement<{ listed: boolean }>(
  'link_customizations.save_draft',
  `with ${LISTED}, saved as (
     insert into link_customizations as c (organization_id, draft)
     select $1, $2::jsonb from listed where ok
     on conflict (organization_id) do update set draft = (c.settings || $2::jsonb) - $3::text[]
   )
   select ok as listed from listed`,
)
const selectBrand = statement<BrandRow & { organization_name: string }>(
  'link_customizations.brand',
  `select o.id as organization_id, o.name as organization_name, case when $2 then coalesce(c.draft, b.settings) else b.settings end as settings,
     b.light_logo, b.dark_logo
   from organizations o
   left join link_brands b on b.organization_id = o.id
   left join link_customizations c on c.organization_id = o.id
   where o.id = $1`,
)
const putLogo = statement<never>(
  'link_logos.put',
  `with touched as (
     insert into link_customizations (organization_id, updated_at) values ($1, app_now())
     on conflict (organization_id) do update set updated_at = app_now()
   )
   insert into link_logos (organization_id, theme, hash, png, width, height) values ($1, $2, $3, $4, $5, $6)
   on conflict (organization_id, theme) do update
     set hash = excluded.hash, png = excluded.png, width = excluded.width, height = excluded.height`,
)
const deleteLogo = statement<{ organization_id: string }>(
  'link_logos.delete',
  `with deleted as (delete from link_logos where organization_id = $1 and theme = $2 returning organization_id)
   update link_customizations c set updated_at = app_now() from deleted d where c.organization_id = d.organization_id
   returning c.organization_id`,
)
const selectLogo = statement<{ png: Buffer }>(
  'link_logos.select',
  'select png from link_logos where organization_id = $1 and hash = $2 limit 1',
)

const save = async (
  db: Queryable,
  into: typeof saveSettings,
  organizationId: string,
  { set, cleared, redirectOrigin }: CheckedPatch,
): Promise<boolean> =>
  (await one(db, into, [organizationId, json(set), cleared, redirectOrigin]))?.listed ?? false

export const linkCustomizationStore = {
  find: (db: Queryable, organizationId: string) => one(db, selectCustomization, [organizationId]),
  /** Returns false, and saves nothing, if the origin of redirect_uri is not allowed. */
  save: (db: Queryable, organizationId: string, patch: CheckedPatch) =>
    save(db, saveSettings, organizationId, patch),
  /** Stores the settings with this patch applied as the draft. Returns false like `save`. */
  saveDraft: (db: Queryable, organizationId: string, patch: CheckedPatch) =>
    save(db, saveDraft, organizationId, patch),
  findBrand: (db: Queryable, organizationId: string, draft: boolean) =>
    one(db, selectBrand, [organizationId, draft]),

  putLogo: (db: Queryable, organizationId: string, theme: LinkTheme, { hash, png, width, height }: Logo) =>
    db.query(putLogo, [organizationId, theme, hash, png, width, height]),
  deleteLogo: (db: Queryable, organizationId: string, theme: LinkTheme) =>
    one(db, deleteLogo, [organizationId, theme]),
  findLogo: (db: Queryable, organizationId: string, hash: Buffer) =>
    one(db, selectLogo, [organizationId, hash]),
}
