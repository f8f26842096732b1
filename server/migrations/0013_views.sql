-- Views through which a feature reads tables of another one.

-- Key rotation --------------------------------------------------------------------------------------------------------

-- Secrets that are encrypted with an organization's key. The purpose is the first name of the encryption context.
create view organization_secrets as
  select organization_id, 'oauth-app' as purpose, id, sealed_secret as sealed from oauth_apps where sealed_secret is not null
  union all
  select organization_id, 'mcp-connector', id, sealed_secret from mcp_connectors where sealed_secret is not null
  union all
  select organization_id, 'webhook-endpoint', id, sealed_secret from webhook_endpoints
  union all
  select organization_id, 'webhook-endpoint-previous', id, sealed_previous_secret from webhook_endpoints where sealed_previous_secret is not null
  union all
  select organization_id, 'identity-provider', id, sealed_secret from sign_in_settings where sealed_secret is not null;

-- Replaces the ciphertext of a secret. Returns false if the secret has changed meanwhile.
create function reseal_organization_secret(in_organization uuid, in_purpose text, in_id uuid, in_old bytea, in_new bytea)
returns boolean language plpgsql as $$
begin
  if in_purpose = 'oauth-app' then
    update oauth_apps set sealed_secret = in_new
      where organization_id = in_organization and id = in_id and sealed_secret = in_old;
  elsif in_purpose = 'mcp-connector' then
    update mcp_connectors set sealed_secret = in_new
      where organization_id = in_organization and id = in_id and sealed_secret = in_old;
  elsif in_purpose = 'webhook-endpoint' then
    update webhook_endpoints set sealed_secret = in_new
      where organization_id = in_organization and id = in_id and sealed_secret = in_old;
  elsif in_purpose = 'webhook-endpoint-previous' then
    update webhook_endpoints set sealed_previous_secret = in_new
      where organization_id = in_organization and id = in_id and sealed_previous_secret = in_old;
  elsif in_purpose = 'identity-provider' then
    update sign_in_settings set sealed_secret = in_new
      where organization_id = in_organization and id = in_id and sealed_secret = in_old;
  else
    raise exception 'no secret of an organization is called %', in_purpose;
  end if;
  return found;
end $$;

-- Link ----------------------------------------------------------------------------------------------------------------

create view pending_codes as select organization_id, code_hash, account from pending_secrets;
create view linked_connectors as
  select organization_id, registered_user_id, connector_slug, account from credentials where status = 'active';
-- The accounts that a user has linked, with their scopes.
create view linked_accounts as
  select organization_id, registered_user_id, connector_slug, id, label, account, coalesce(account_id, account) as account_identity,
    scopes, status, updated_at
  from credentials where status <> 'revoked';
create view link_brands as
  select c.organization_id, c.settings, encode(light.hash, 'hex') as light_logo, encode(dark.hash, 'hex') as dark_logo
  from link_customizations c
  left join link_logos light on light.organization_id = c.organization_id and light.theme = 'light'
  left join link_logos dark on dark.organization_id = c.organization_id and dark.theme = 'dark';
create view tool_pack_names as select organization_id, id, name, is_default from tool_packs;

-- Events --------------------------------------------------------------------------------------------------------------

-- Keys that may read the events of an active organization, and signed-in members, who may also read those of a suspended one.
create view event_readers as
  select k.organization_id, k.id from valid_api_keys k join organizations o on o.id = k.organization_id
  where o.state = 'active'
  union all
  select o.id, p.id from organizations o cross join people p
  where o.state in ('active', 'suspended')
    and (exists (select from members m where m.organization_id = o.id and m.person_id = p.id and m.accepted_at is not null)
      or exists (select from operators x where x.person_id = p.id))
    and exists (select from people_sessions s where s.user_id = p.id and s.expires_at > app_now());

-- Audit trail ---------------------------------------------------------------------------------------------------------

-- The current name of a target or an actor of the audit trail. Null: it has none, or it was deleted. The path and query of a webhook URL may be secret.
create function resource_name(in_organization uuid, in_type text, in_id text) returns text language sql stable as $$
  select case when in_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then case in_type
    when 'api_key' then (select name from api_keys where organization_id = in_organization and id = in_id::uuid)
    when 'mcp_key' then (select name from mcp_keys where organization_id = in_organization and id = in_id::uuid)
    when 'organization' then (select name from organizations where id = in_organization and id = in_id::uuid)
    when 'tool_pack' then (select name from tool_packs where organization_id = in_organization and id = in_id::uuid)
    when 'policy_rule' then (select name from policy_rules where organization_id = in_organization and id = in_id::uuid)
    when 'grant' then (select client_name from client_grants where organization_id = in_organization and id = in_id::uuid)
    when 'credential' then (
      select connector_slug || ' · ' || label from credentials where organization_id = in_organization and id = in_id::uuid)
    when 'registered_user' then (
      select coalesce(origin_user_name, origin_user_id) from registered_users where organization_id = in_organization and id = in_id::uuid)
    when 'member' then (
      select case when m.accepted_at is null then m.invited_name else p.name end from members m join people p on p.id = m.person_id
      where m.organization_id = in_organization and m.person_id = in_id::uuid)
    when 'webhook_endpoint' then (
      select coalesce(description, substring(url from '^[a-z]+://(?:[^/?#]*@)?([^/?#]+)')) from webhook_endpoints
      where organization_id = in_organization and id = in_id::uuid)
    when 'webhook_delivery' then (select type from webhook_deliveries where organization_id = in_organization and id = in_id::uuid)
  end end
$$;

-- Admission of calls --------------------------------------------------------------------------------------------------

-- API keys that may call tools.
create view tool_api_keys as
  select organization_id, id, lineage, mode, hash from valid_api_keys where coalesce('tools' = any(groups), true);

-- An API key is valid for all users and packs of its mode, an MCP key for one user and the packs that it names, an access token for one
-- user and one pack.
create view admission_keys as
  select k.hash, k.organization_id, o.state as organization_state, k.id, k.mode, o.plan, o.link_binding, o.runtime_callback_url,
    null::uuid as registered_user_id, null::uuid[] as tool_pack_ids
  from tool_api_keys k join organizations o on o.id = k.organization_id
  union all
  select m.hash, m.organization_id, o.state, m.id, u.mode, o.plan, o.link_binding, o.runtime_callback_url,
    m.registered_user_id, m.tool_pack_ids
  from mcp_keys m
  join organizations o on o.id = m.organization_id
  join registered_users u on u.organization_id = m.organization_id and u.id = m.registered_user_id
  where m.expires_at > app_now()
  union all
  select t.hash, t.organization_id, o.state, t.grant_id, u.mode, o.plan, o.link_binding, o.runtime_callback_url,
    t.registered_user_id, t.tool_pack_ids
  from access_tokens t
  join organizations o on o.id = t.organization_id
  join registered_users u on u.organization_id = t.organization_id and u.id = t.registered_user_id
  where t.expires_at > app_now();

-- The same without joins. MCP keys and access tokens have the mode of their user. Settlements use it, whatever the state of the organization: a call that
-- was admitted before the organization began to move is settled.
create view caller_keys as
  select hash, organization_id, mode, null::uuid as registered_user_id, null::uuid[] as tool_pack_ids
  from tool_api_keys
  union all
  select hash, organization_id, null, registered_user_id, tool_pack_ids
  from mcp_keys where expires_at > app_now()
  union all
  select hash, organization_id, null, registered_user_id, tool_pack_ids
  from access_tokens where expires_at > app_now();

-- The user, the Tool Pack and the mode that an access token was issued for. They never change. Without sign-in for the pack, the token has no holder.
create view token_holders as
  select t.hash, t.organization_id, t.registered_user_id, t.tool_pack_ids[1] as tool_pack_id, u.mode
  from access_tokens t
  join registered_users u on u.organization_id = t.organization_id and u.id = t.registered_user_id
  join sign_in_settings s on s.organization_id = t.organization_id and s.mode = u.mode
    and (s.tool_pack_ids is null or t.tool_pack_ids[1] = any(s.tool_pack_ids));

-- Only active organizations are admitted.
create view admission_organizations as
  select id, plan, link_binding, runtime_callback_url, coalesce(call_limit, plan_call_limit(plan)) as call_limit, cycle_day,
    plan_retention_days(plan) as retention_days, plan_has_rate_limits(plan) as has_rate_limits, capture = 'on' as captures, policy_hash
  from organizations where state = 'active';
create view admission_users as
  select organization_id, id, mode, is_active, data_key, rate_limit_per_minute from registered_users;
create view admission_packs as
  select organization_id, id, is_default, connectors, choices, result_limit, result_handles, explain_access, renewal_notices, tasks, serving,
    favorites, accounts, requests, daily_call_limit, policy_hash from tool_packs;
create view admission_rules as select organization_id, tool_pack_id, content_hash from security_rules;
create view admission_credentials as
  select organization_id, id, registered_user_id, connector_slug, label, account, status, status_reason, secret_id, sealed, version, scopes,
    updated_at, oauth_app, access_expires_at, coalesce(access_expires_at <= app_now() + interval '1 minute', false) as refresh_due,
    case when paused_until > app_now() then paused_until end as paused_until
  from credentials;
-- What the health of an account is derived from, read only for packs with renewal notices. The app is looked up by the index of current apps.
create view admission_health as
  select c.organization_id, c.registered_user_id, c.connector_slug, c.id, jsonb_build_object('now', app_now(), 'method', c.method, 'linked_at', c.linked_at, 'refreshed_at', c.refreshed_at,
    'used_at', c.used_at, 'ends_at', c.ends_at, 'end_stated_at', c.end_stated_at, 'own_app_in_test_mode', exists (select from oauth_apps x
      where x.organization_id = c.organization_id and x.connector_slug = c.connector_slug and x.superseded_at is null
        and x.id::text = c.oauth_app and x.test_mode)) as facts
  from credentials c;
create view admission_shares as
  select organization_id, grantee, connector_slug, credential_id, owner_id from credential_shares;
create view admission_oauth_apps as
  select organization_id, connector_slug from oauth_apps where superseded_at is null;
create view admission_mcp_connectors as
  select organization_id, id, slug, name, summary, source, url, authentication, header_name, header_prefix, sealed_secret, revision,
    tools_hash
  from mcp_connectors where removed_at is null;
create view admission_mcp_tools as
  select t.organization_id, c.slug as connector_slug, t.name, t.upstream_name, t.position, t.definition
  from mcp_tools t join mcp_connectors c on c.organization_id = t.organization_id and c.id = t.connector_id
  where c.removed_at is null;
create view admission_server_tools as
  select organization_id, connector_id, name, definition from mcp_tools;

-- Credentials ---------------------------------------------------------------------------------------------------------

create view oauth_apps_in_test_mode as
  select organization_id, id::text as oauth_app from oauth_apps where test_mode;
-- Calls that their provider has accepted.
create view accepted_calls as
  select organization_id, mode, connector_slug, credential_id, started_at from tool_calls where outcome = 'success';

-- Rotation of keys ----------------------------------------------------------------------------------------------------

-- Everything that is encrypted with a key of an organization, with the ID of that key.
create view sealed_under_organization as
  select organization_id, sealing_key(data_key) as key_id from registered_users
  union all
  select organization_id, sealing_key(sealed) from organization_secrets
  union all
  select organization_id, sealing_key(sealed) from revocations where outcome is null and sealed_under = 'organization'
  union all
  select organization_id, sealing_key(sealed_response) from idempotency_keys
    where sealed_response is not null and expires_at > app_now()
  union all
  select a.organization_id, sealing_key(a.sealed_state)
    from link_attempts a join link_sessions s on s.organization_id = a.organization_id and s.id = a.session_id
    where a.sealed_state is not null and s.expires_at > app_now();

-- Approvals -----------------------------------------------------------------------------------------------------------

-- Whether anyone with the link of an approval can decide as the user whose call it is.
create function approval_link_decides(in_approval approvals) returns boolean language sql stable as $$
  select not in_approval.is_destructive and exists (select from policies p
    where p.organization_id = in_approval.organization_id and p.tool_pack_id = '00000000-0000-0000-0000-000000000000'
      and p.approval_binding = 'link')
$$;

-- Why an open approval must not be used: its ground has changed, or someone who has approved may no longer do so. Null: it may be used. Operators
-- are administrators of all organizations.
create function approval_void_reason(in_approval approvals, in_deciding_roles text[]) returns text language sql stable as $$
  select coalesce(in_approval.void_reason,
    case when not exists (select from registered_users u
      where u.organization_id = in_approval.organization_id and u.id = in_approval.registered_user_id and u.is_active) then 'user_deactivated' end,
    case when in_approval.credential_id is not null then nullif(coalesce((
      select case when c.link_generation <> in_approval.link_generation then 'account_relinked'
        when c.registered_user_id <> in_approval.registered_user_id and not exists (select from credential_shares s
          where s.organization_id = c.organization_id and s.credential_id = c.id
            and s.grantee in (in_approval.registered_user_id, in_approval.tool_pack_id, '00000000-0000-0000-0000-000000000000'))
          then 'account_unshared'
        else '' end
      from credentials c where c.organization_id = in_approval.organization_id and c.id = in_approval.credential_id and c.status <> 'revoked'),
      'account_removed'), '') end,
    case when in_approval.tool_hash is not null and not exists (select from admission_mcp_tools t
      where t.organization_id = in_approval.organization_id and t.connector_slug = in_approval.connector_slug and t.name = in_approval.tool
        and md5(t.definition::text) = in_approval.tool_hash) then 'tool_changed' end,
    case when in_approval.status = 'approved' and exists (select from approval_decisions d
      where d.organization_id = in_approval.organization_id and d.approval_id = in_approval.id
        and case when d.person_id is null
          then not exists (select from registered_users u
            where u.organization_id = d.organization_id and u.id::text = d.decider and u.is_active)
          else not exists (select from operators o where o.person_id = d.person_id)
            and not exists (select from members m where m.organization_id = d.organization_id and m.person_id = d.person_id
              and m.accepted_at is not null and m.role = any(in_deciding_roles)) end)
      then 'approver_removed' end,
    case when not approval_link_decides(in_approval) and exists (select from approval_decisions d
      where d.organization_id = in_approval.organization_id and d.approval_id = in_approval.id and d.by_link)
      then 'policy_changed' end)
$$;
