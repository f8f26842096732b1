-- Tool Packs ----------------------------------------------------------------------------------------------------------

create table tool_packs (
  organization_id uuid not null references organizations on delete cascade,
  id uuid not null,
  name text not null,
  description text not null default '',
  is_default boolean not null default false,
  -- Null: all connectors that are available.
  connectors text[],
  -- {slug: {tool: how it is offered}}. Connectors without an entry offer all of their tools unchanged.
  choices jsonb not null default '{}',
  -- {slug: {methods, paths}}: raw requests that the pack allows.
  requests jsonb not null default '{}',
  -- Maximum bytes of a result that the model receives. If `result_handles` is set, longer results are stored for an hour.
  result_limit integer not null default 100000 check (result_limit between 1000 and 1000000),
  result_handles boolean not null default false,
  -- Whether the pack offers `explain_access`.
  explain_access boolean not null default false,
  -- Whether results say that the account they came from ends soon, and the pack offers `renew_connection`.
  renewal_notices boolean not null default false,
  -- Whether calls that wait for an approval become tasks.
  tasks boolean not null default true,
  -- Maximum number of successful calls per day (UTC). Null: no limit.
  daily_call_limit integer check (daily_call_limit >= 0),
  -- How the tools are presented: as a list, or as a search.
  serving text not null default 'list' check (serving in ('list', 'search', 'reveal')),
  -- Names of tools that are listed although the pack is served as search.
  favorites text[] not null default '{}',
  -- {slug: {"required": true}} or {slug: {"fixed": label or credential ID}}: which of the user's accounts calls may use.
  accounts jsonb not null default '{}',
  -- As that of the organization.
  policy_hash text not null default '',
  created_at timestamptz not null default app_now(),
  updated_at timestamptz not null default app_now(),
  primary key (organization_id, id)
);
create unique index tool_packs_one_default on tool_packs (organization_id) where is_default;

create function create_default_tool_pack(in_organization uuid, in_id uuid) returns void language sql as $$
  insert into tool_packs (organization_id, id, name, is_default) values (in_organization, in_id, 'Default', true)
$$;

-- MCP servers ---------------------------------------------------------------------------------------------------------

-- MCP servers that an organization added, and those of the catalog that it has used.
create table mcp_connectors (
  organization_id uuid not null references organizations on delete cascade,
  id uuid not null,
  slug text not null,
  name text not null,
  summary text not null,
  source text not null check (source in ('custom', 'catalog')),
  url text not null,
  authentication text not null check (authentication in ('none', 'user_secret', 'organization_secret', 'oauth')),
  -- The header that carries the secret, and the text before the secret.
  header_name text not null default 'authorization',
  header_prefix text not null default 'Bearer ',
  sealed_secret bytea,
  -- As discovered when the connector was added. A different one in a later response is ignored.
  authorization_server jsonb,
  -- The MCP revision that the server speaks.
  revision text,
  tool_changes text not null default 'review' check (tool_changes in ('review', 'auto')),
  -- Hash of the accepted tools. Null: the tools cannot be listed before a user has linked an account.
  tools_hash text,
  -- Remarks on the accepted tools.
  tool_problems jsonb not null default '[]',
  -- {tools, problems}: changed tools that wait for review.
  pending_tools jsonb,
  pending_hash text,
  pending_since timestamptz,
  checked_at timestamptz,
  check_problem text,
  created_at timestamptz not null default app_now(),
  -- A removed connector remains until its credentials are revoked at the provider.
  removed_at timestamptz,
  primary key (organization_id, id),
  check ((authentication = 'organization_secret') = (sealed_secret is not null)),
  check ((authentication = 'oauth') = (authorization_server is not null)),
  check ((pending_hash is null) = (pending_tools is null))
);
create index mcp_connectors_by_check on mcp_connectors (checked_at) where removed_at is null;
-- After `mcp_connectors_by_check`: without statistics PostgreSQL prefers the newer of two indexes, and calls find connectors by slug.
create unique index mcp_connectors_by_slug on mcp_connectors (organization_id, slug) where removed_at is null;

-- Slugs of the catalog. Every process of the service adds those of its own catalog when it starts.
create table catalog_slugs (slug text primary key);

-- A slug of the catalog among those of an organization's own servers, unless another organization has used it too.
create function contested_slug(in_organization uuid, in_slugs text[]) returns text language sql stable as $$
  select slug from catalog_slugs s where slug = any(in_slugs) and not exists (
    select from mcp_connectors o
    where o.organization_id <> in_organization and o.slug = s.slug and o.source = 'custom' and o.removed_at is null)
  order by slug limit 1
$$;

-- A process decides at startup which slugs of the catalog organizations had used for their own servers before. It would treat such a server
-- of an organization that arrives later as the connector of the catalog, and send its users' secrets there.
create function check_arriving_slugs() returns trigger language plpgsql as $$
declare
  contested text := contested_slug(new.id, array(
    select slug from mcp_connectors where organization_id = new.id and source = 'custom' and removed_at is null));
begin
  if contested is not null then
    raise exception 'the organization''s own connector "%" has the slug of a connector in the catalog of this installation', contested
      using errcode = 'check_violation', hint = 'Remove the connector before the organization is moved.';
  end if;
  return new;
end $$;
create trigger organizations_arrived before update of state on organizations
  for each row when (old.state = 'arriving' and new.state = 'active') execute function check_arriving_slugs();

-- The accepted tools. These are offered, even if the server lists others.
create table mcp_tools (
  organization_id uuid not null,
  connector_id uuid not null,
  name text not null,
  upstream_name text not null,
  position integer not null,
  definition jsonb not null,
  primary key (organization_id, connector_id, name),
  foreign key (organization_id, connector_id) references mcp_connectors on delete cascade
);

-- OAuth ---------------------------------------------------------------------------------------------------------------

-- OAuth clients of an organization: its own, or registered for it with an authorization server.
create table oauth_apps (
  organization_id uuid not null references organizations on delete cascade,
  id uuid not null,
  connector_slug text not null,
  kind text not null check (kind in ('given', 'registered', 'metadata_document')),
  -- Part of the redirect URI, and different for each app.
  context text not null,
  client_id text not null,
  sealed_secret bytea,
  client_authentication text,
  -- Null: the default scopes of the connector.
  scopes text[],
  -- Whether the provider has not published the app yet. Some end the grants of such apps early.
  test_mode boolean not null default false,
  -- When another client replaced this one. Credentials of this one remain valid until the user links again.
  superseded_at timestamptz,
  created_at timestamptz not null default app_now(),
  updated_at timestamptz not null default app_now(),
  primary key (organization_id, id)
);
create unique index oauth_apps_current on oauth_apps (organization_id, connector_slug) where superseded_at is null;
