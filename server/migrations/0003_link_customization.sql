-- What an organization chose for its Link pages: only what it set itself is here, and defaults are the code's.
create table link_customizations (
  organization_id uuid primary key references organizations on delete cascade,
  settings jsonb not null default '{}',
  -- What the settings would be, for the preview and nobody else.
  draft jsonb,
  -- null: nothing but a draft was ever saved
  updated_at timestamptz
);

-- Made here out of the pixels of what was uploaded, and named by its content: the first 16 bytes of its SHA-256.
create table link_logos (
  organization_id uuid not null references link_customizations on delete cascade,
  theme text not null check (theme in ('light', 'dark')),
  hash bytea not null check (length(hash) = 16),
  png bytea not null,
  width integer not null,
  height integer not null,
  primary key (organization_id, theme)
);

-- What the pages read, along with the session: one row for each organization that has set anything.
create view link_brands as
  select c.organization_id, c.settings, encode(light.hash, 'hex') as light_logo, encode(dark.hash, 'hex') as dark_logo
  from link_customizations c
  left join link_logos light on light.organization_id = c.organization_id and light.theme = 'light'
  left join link_logos dark on dark.organization_id = c.organization_id and dark.theme = 'dark';
