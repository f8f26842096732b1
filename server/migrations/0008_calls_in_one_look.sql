-- What the one statement that admits a call reads, each by its own key and joined to nothing that the statement joins itself.

-- The mode of an MCP key is that of its user.
create view calling_keys as
  select hash, organization_id, mode, null::uuid as registered_user_id, null::uuid[] as tool_pack_ids
  from api_keys where revoked_at is null
  union all
  select hash, organization_id, null, registered_user_id, tool_pack_ids
  from mcp_keys where expires_at > app_now();

create view admission_organizations as
  select id, plan, link_binding, runtime_callback_url from organizations;

create view admission_server_tools as
  select organization_id, connector_id, name, definition from mcp_tools;

-- Of two indexes that cost the same on a table it knows nothing of, PostgreSQL takes the newer. Connectors are called by their slug
-- all the time, and found by when they were last checked every ten minutes.
drop index mcp_connectors_by_slug;
create unique index mcp_connectors_by_slug on mcp_connectors (organization_id, slug) where removed_at is null;

-- For the same reason a call that is settled by its key must not be looked for among all of its organization's.
drop index tool_calls_by_user;
create index tool_calls_by_user on tool_calls (registered_user_id, started_at);
