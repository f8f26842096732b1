-- connectors ----------------------------------------------------------------------------------------------------------

-- MCP servers as connectors of one organization: its own, and those of the catalog that it has used. What is here was
-- agreed with the server before anything was stored.
create table mcp_connectors (
  organization_id uuid not null references organizations on delete cascade,
  id uuid not null,
  slug text not null,
  name text not null,
  summary text not null,
  source text not null check (source in ('custom', 'catalog')),
  url text not null,
  authentication text not null check (authentication in ('none', 'user_secret', 'organization_secret', 'oauth')),
  -- How a secret travels: the header's name and what stands before the secret in it.
  header_name text not null default 'authorization',
  header_prefix text not null default 'Bearer ',
  sealed_secret bytea,
  -- The authorization server as it was found; a later answer that names another one changes nothing.
  authorization_server jsonb,
  revision text,
  tool_changes text not null default 'review' check (tool_changes in ('review', 'auto')),
  -- null: the tools cannot be listed before somebody has linked
  tools_hash text,
  -- What was odd about the accepted ones, for whoever asks later.
  tool_problems jsonb not null default '[]',
  -- {tools, problems}
  pending_tools jsonb,
  pending_hash text,
  pending_since timestamptz,
  checked_at timestamptz,
  check_problem text,
  created_at timestamptz not null default app_now(),
  -- Kept until what was linked with it has been revoked there.
  removed_at timestamptz,
  primary key (organization_id, id),
  check ((authentication = 'organization_secret') = (sealed_secret is not null)),
  check ((authentication = 'oauth') = (authorization_server is not null)),
  check ((pending_hash is null) = (pending_tools is null))
);
create unique index mcp_connectors_by_slug on mcp_connectors (organization_id, slug) where removed_at is null;
create index mcp_connectors_by_check on mcp_connectors (checked_at) where removed_at is null;

-- The tools as accepted: these are served, whatever the server says today.
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

-- oauth ---------------------------------------------------------------------------------------------------------------

-- Clients that belong to one organization: given by it, or registered for it with an authorization server.
create table oauth_apps (
  organization_id uuid not null references organizations on delete cascade,
  id uuid not null,
  connector_slug text not null,
  kind text not null check (kind in ('given', 'registered', 'metadata_document')),
  -- Names the app in the one redirect URI that it uses.
  context text not null,
  client_id text not null,
  sealed_secret bytea,
  client_authentication text,
  -- null: what the connector asks for by default
  scopes text[],
  -- Another client took its place. Credentials made with this one go on with it until they are linked anew.
  superseded_at timestamptz,
  created_at timestamptz not null default app_now(),
  updated_at timestamptz not null default app_now(),
  primary key (organization_id, id)
);
create unique index oauth_apps_current on oauth_apps (organization_id, connector_slug) where superseded_at is null;

-- linking -------------------------------------------------------------------------------------------------------------

-- Which redirect URI the attempt left with, and what else it must know when it returns: sealed with its verifier.
alter table link_attempts add column redirect_context text;
update link_attempts set redirect_context = oauth_app;

-- Scopes that a tool was refused for: asked for on top of what the user has granted.
alter table link_sessions add column more_scopes text[];

-- credentials ---------------------------------------------------------------------------------------------------------

-- What stays the same when an account is renamed.
alter table credentials add column account_id text, add column checked_at timestamptz;
alter table waiting_secrets add column account_id text;
-- Who else holds a grant of the same account to the same app: revoking it would end theirs too.
create index credentials_by_account on credentials (oauth_app, coalesce(account_id, account)) where status = 'active';
-- For the job that refreshes what has rested for long: third parties let unused refresh tokens die. A block-range index costs a
-- confirmed code next to nothing.
create index credentials_resting on credentials using brin (updated_at);

alter table revocations
  add column credential_id uuid,
  add column account text,
  add column account_id text,
  add column queued_at timestamptz not null default app_now(),
  drop constraint revocations_outcome_check,
  add constraint revocations_outcome_check check (outcome in ('revoked', 'not_supported', 'kept_shared', 'gave_up'));
create index revocations_of_user on revocations (organization_id, registered_user_id, queued_at);

drop function queue_revocation(uuid, uuid, text, text, uuid, bytea, text);
create function queue_revocation(in_credential credentials, in_reason text) returns void language sql as $$
  insert into revocations
    (organization_id, registered_user_id, credential_id, connector_slug, oauth_app, account, account_id, secret_id, sealed,
     sealed_under, reason, give_up_at)
  values
    (in_credential.organization_id, in_credential.registered_user_id, in_credential.id, in_credential.connector_slug,
     in_credential.oauth_app, in_credential.account, in_credential.account_id, in_credential.secret_id, in_credential.sealed,
     'user', in_reason, app_now() + interval '1 day')
$$;

create or replace function end_waiting_secret(in_secret waiting_secrets, in_status text, in_reason text) returns void
language plpgsql as $$
begin
  insert into revocations
    (organization_id, registered_user_id, connector_slug, oauth_app, account, account_id, secret_id, sealed, sealed_under, reason,
     give_up_at)
  values
    (in_secret.organization_id, in_secret.registered_user_id, in_secret.connector_slug, in_secret.oauth_app, in_secret.account,
     in_secret.account_id, in_secret.secret_id, in_secret.sealed, 'user', in_reason, app_now() + interval '1 day');
  update link_sessions set status = in_status
    where organization_id = in_secret.organization_id and id = in_secret.session_id and status = 'code_issued';
end $$;

-- One credential is void here at once, and handed to the revocation job. False: there was nothing left to end.
create function revoke_credential(in_organization uuid, in_user uuid, in_credential uuid, in_reason text) returns boolean
language plpgsql as $$
declare
  held credentials%rowtype;
begin
  -- The user before the credential, as everybody else locks them.
  perform from registered_users where organization_id = in_organization and id = in_user for no key update;
  select * into held from credentials
    where organization_id = in_organization and registered_user_id = in_user and id = in_credential and status <> 'revoked'
    for no key update;
  if not found then return false; end if;
  perform queue_revocation(held, in_reason);
  update credentials set status = 'revoked', status_reason = in_reason, sealed = null, version = version + 1,
      lease_fence = lease_fence + 1, lease_until = null, updated_at = app_now()
    where organization_id = in_organization and id = held.id;
  perform record_event(in_organization, in_user, 'credential.revoked',
    jsonb_build_object('credential_id', held.id, 'connector_slug', held.connector_slug, 'reason', in_reason));
  return true;
end $$;

create or replace function revoke_credentials(in_organization uuid, in_user uuid, in_reason text) returns void
language plpgsql as $$
declare
  waiting waiting_secrets%rowtype;
begin
  perform revoke_credential(organization_id, registered_user_id, id, in_reason) from credentials
    where organization_id = in_organization and registered_user_id = in_user and status <> 'revoked';
  for waiting in
    delete from waiting_secrets where organization_id = in_organization and registered_user_id = in_user returning *
  loop
    perform end_waiting_secret(waiting, 'code_ended', in_reason);
  end loop;
end $$;

-- The connector is gone: so is everything that was linked with it, stored or waiting for its code.
create function revoke_connector_credentials(in_organization uuid, in_connector text, in_reason text) returns void
language plpgsql as $$
declare
  waiting waiting_secrets%rowtype;
begin
  -- Users before what is theirs, as everybody else locks them: a code that is just being redeemed is a credential after this.
  perform from registered_users where organization_id = in_organization and id in (
      select registered_user_id from credentials
        where organization_id = in_organization and connector_slug = in_connector and status <> 'revoked'
      union
      select registered_user_id from waiting_secrets
        where organization_id = in_organization and connector_slug = in_connector)
    order by id for no key update;
  perform revoke_credential(organization_id, registered_user_id, id, in_reason) from (
    select organization_id, registered_user_id, id from credentials
    where organization_id = in_organization and connector_slug = in_connector and status <> 'revoked'
    order by registered_user_id) held;
  for waiting in
    delete from waiting_secrets where organization_id = in_organization and connector_slug = in_connector returning *
  loop
    perform end_waiting_secret(waiting, 'code_ended', in_reason);
  end loop;
end $$;

-- The OAuth app is gone: what was linked with it cannot be refreshed, and must be linked anew.
create function orphan_credentials(in_organization uuid, in_connector text, in_apps text[]) returns void
language plpgsql as $$
declare
  held record;
begin
  for held in
    select c.id, c.registered_user_id from credentials c
      join registered_users u on u.organization_id = c.organization_id and u.id = c.registered_user_id
      where c.organization_id = in_organization and c.connector_slug = in_connector and c.oauth_app = any(in_apps)
        and c.status = 'active'
      order by c.registered_user_id for no key update of u
  loop
    update credentials set status = 'needs_reauth', status_reason = 'oauth_app_removed', lease_fence = lease_fence + 1,
        lease_until = null, updated_at = app_now()
      where organization_id = in_organization and id = held.id and status = 'active';
    if found then
      perform record_event(in_organization, held.registered_user_id, 'credential.needs_reauth',
        jsonb_build_object('credential_id', held.id, 'connector_slug', in_connector, 'reason', 'oauth_app_removed'));
    end if;
  end loop;
end $$;

drop view sealed_secrets;
create view sealed_secrets as
  select organization_id, registered_user_id, id as credential_id, connector_slug, oauth_app, account, account_id, secret_id, sealed
    from credentials where sealed is not null
  union all
  select organization_id, registered_user_id, null, connector_slug, oauth_app, account, account_id, secret_id, sealed
    from waiting_secrets
  union all
  select organization_id, registered_user_id, credential_id, connector_slug, oauth_app, account, account_id, secret_id, sealed
    from revocations where sealed is not null and sealed_under = 'user';

-- What the owners publish ---------------------------------------------------------------------------------------------

create view granted_scopes as
  select organization_id, registered_user_id, connector_slug, scopes from credentials where status <> 'revoked';
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
