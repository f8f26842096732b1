-- Tool Packs choose: connectors, tools of each, and what the model sees of them -----------------------------------------

alter table tool_packs
  add column description text not null default '',
  -- {slug: {tool: how it is offered}}; a connector that is missing here offers all its tools as they are.
  add column choices jsonb not null default '{}',
  -- Bytes of a result that reach the model; beyond them it is cut, or kept for an hour where the pack opted in.
  add column result_limit integer not null default 100000 check (result_limit between 1000 and 1000000),
  add column result_handles boolean not null default false,
  add column updated_at timestamptz not null default app_now();

-- Keys for agents and laptops: one user, chosen packs, the MCP endpoint and nothing else --------------------------------

create table mcp_keys (
  organization_id uuid not null,
  id uuid not null,
  registered_user_id uuid not null,
  name text not null,
  hash bytea not null,
  hint text not null,
  tool_pack_ids uuid[] not null,
  created_at timestamptz not null default app_now(),
  expires_at timestamptz not null,
  primary key (organization_id, id),
  foreign key (organization_id, registered_user_id) references registered_users on delete cascade
);
create unique index mcp_keys_by_hash on mcp_keys (hash);
create index mcp_keys_by_user on mcp_keys (organization_id, registered_user_id, id);
create index mcp_keys_by_expiry on mcp_keys (expires_at);

-- A key of an organization opens every user and pack of its mode; an MCP key, one user and the packs it names.
drop view admission_keys;
create view admission_keys as
  select k.hash, k.organization_id, k.id, k.mode, o.plan, o.link_binding, o.runtime_callback_url,
    null::uuid as registered_user_id, null::uuid[] as tool_pack_ids
  from api_keys k join organizations o on o.id = k.organization_id where k.revoked_at is null
  union all
  select m.hash, m.organization_id, m.id, u.mode, o.plan, o.link_binding, o.runtime_callback_url,
    m.registered_user_id, m.tool_pack_ids
  from mcp_keys m
  join organizations o on o.id = m.organization_id
  join registered_users u on u.organization_id = m.organization_id and u.id = m.registered_user_id
  where m.expires_at > app_now();

drop view admission_packs;
create view admission_packs as
  select organization_id, id, is_default, connectors, choices, result_limit, result_handles from tool_packs;
