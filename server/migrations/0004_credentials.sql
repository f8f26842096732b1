-- account_label_key: labels with the same key are the same label, because they differ only in case, spaces or the form of their characters.
-- The locale of the database may fold only ASCII, so a Unicode collation is used if the server has one.
do $$
declare unicode text := (select format('collate %I', collname) from pg_collation where collname in ('und-x-icu', 'pg_c_utf8')
  order by collname desc limit 1);
begin
  execute format($function$create function account_label_key(in_label text) returns text language sql immutable as
    $body$ select lower(regexp_replace(normalize(in_label, nfkc), '\s+', ' ', 'g') %s) collate "default" $body$
  $function$, coalesce(unicode, ''));
end $$;

create table credentials (
  organization_id uuid not null,
  id uuid not null,
  registered_user_id uuid not null,
  connector_slug text not null,
  -- Names the account among the user's accounts of the connector. By default it is the account's name.
  label text not null default 'Account 1' check (length(label) between 1 and 100),
  status text not null check (status in ('active', 'needs_reauth', 'revoked')),
  status_reason text,
  -- Part of the associated data of the ciphertext. Each new secret has a new ID.
  secret_id uuid not null,
  sealed bytea,
  version integer not null default 1,
  -- How often the account was linked. Unlike the version, it stays when a token is refreshed.
  link_generation integer not null default 1,
  -- The type of the authorization method that the account was linked with.
  method text not null,
  scopes text[] not null,
  -- The account's name, and its ID, which remains the same when the account is renamed.
  account text,
  account_id text,
  -- The OAuth app that obtained the tokens; null for other methods.
  oauth_app text,
  access_expires_at timestamptz,
  -- One node at a time refreshes the token. Each lease has a new fence, so that an expired holder cannot store its token.
  lease_fence bigint not null default 0,
  lease_until timestamptz,
  checked_at timestamptz,
  refreshed_at timestamptz,
  -- What the health of the credential is derived from. The lifetimes of connector files count from `linked_at`; `ends_at` is an end that the
  -- provider has stated, at `end_stated_at` if not when the account was linked, or the end of a client certificate. `used_at` is the last successful
  -- call, for connectors whose file states a lifetime, and written at most once a day.
  linked_at timestamptz not null default app_now(),
  ends_at timestamptz,
  end_stated_at timestamptz,
  used_at timestamptz,
  -- Since when refreshes fail without an answer that ends the credential.
  refresh_failing_since timestamptz,
  -- Scopes that the provider no longer grants.
  lost_scopes text[] not null default '{}',
  -- The latest risks that were announced. Each is announced once.
  announced_risks text[] not null default '{}',
  -- Since when the provider answers both calls and the identity request with 401, how often it did, and when that request was last made.
  refused_since timestamptz,
  refusals integer not null default 0,
  refusal_checked_at timestamptz,
  -- Calls do not use the credential before this time. A past time has no effect, and a job removes it.
  paused_until timestamptz,
  created_at timestamptz not null default app_now(),
  updated_at timestamptz not null default app_now(),
  primary key (organization_id, id),
  foreign key (organization_id, registered_user_id) references registered_users on delete cascade,
  check ((status = 'revoked') = (sealed is null)),
  check (status <> 'revoked' or paused_until is null)
);
-- A label is unique among the user's accounts of the connector that are not revoked. Calls find their credential by this index.
create unique index credentials_by_label on credentials (organization_id, registered_user_id, connector_slug, label,
  (case when status = 'revoked' then id end)) nulls not distinct;
create unique index credentials_by_label_key on credentials (organization_id, registered_user_id, connector_slug, account_label_key(label))
  where status <> 'revoked';
-- Other grants of the same account to the same app, which revoking one of them would end too.
create index credentials_by_account on credentials (oauth_app, coalesce(account_id, account)) where status = 'active';
-- For the job that refreshes credentials that were not used for long. BRIN, because it costs almost nothing when a code is confirmed.
create index credentials_by_update on credentials using brin (updated_at);
-- For the job that announces credentials at risk: those that are old, were not renewed for long, have a stated end, or show signs of a problem.
-- Each page of the search continues where the previous one ended.
create index credentials_by_age on credentials (connector_slug, method, linked_at, organization_id, id) where status = 'active';
create index credentials_by_renewal on credentials (connector_slug, method, greatest(linked_at, refreshed_at), organization_id, id) where status = 'active';
create index credentials_by_own_app on credentials (oauth_app, linked_at, organization_id, id) where status = 'active' and oauth_app <> connector_slug;
create index credentials_ending on credentials (ends_at, organization_id, id) where status = 'active' and ends_at is not null;
create index credentials_with_problems on credentials (organization_id, id)
  where status = 'active' and (refused_since is not null or refresh_failing_since is not null or lost_scopes <> '{}');
create index credentials_refused on credentials (organization_id, connector_slug) where refused_since is not null;
create index credentials_paused on credentials (paused_until) where paused_until is not null;

-- Who besides its user may make calls with a credential: a user, everyone who uses a Tool Pack, or, if both are null, every user of the
-- mode. Revoking the credential ends it.
create table credential_shares (
  organization_id uuid not null,
  id uuid not null default gen_random_uuid(),
  credential_id uuid not null,
  -- The user and the connector of the credential. Calls find a credential by them.
  owner_id uuid not null,
  connector_slug text not null,
  registered_user_id uuid,
  tool_pack_id uuid,
  -- The user, the Tool Pack, or the nil UUID for everyone. Calls find their shares by it, however many others there are.
  grantee uuid not null check (grantee = coalesce(registered_user_id, tool_pack_id, '00000000-0000-0000-0000-000000000000')),
  primary key (organization_id, id),
  unique (organization_id, grantee, connector_slug, credential_id),
  foreign key (organization_id, credential_id) references credentials on delete cascade,
  foreign key (organization_id, registered_user_id) references registered_users on delete cascade,
  foreign key (organization_id, tool_pack_id) references tool_packs on delete cascade,
  check (registered_user_id is null or tool_pack_id is null)
);
create index credential_shares_by_credential on credential_shares (organization_id, credential_id);
-- For deleted users.
create index credential_shares_by_user on credential_shares (organization_id, registered_user_id) where registered_user_id is not null;

-- Secrets that were obtained but are not credentials yet: they wait for the confirmation of their code, or for a choice of the
-- user: a site, or the account to replace.
-- Confirming a code deletes its row, so that only one caller succeeds.
create table pending_secrets (
  organization_id uuid not null,
  code_hash bytea not null,
  session_id uuid not null,
  registered_user_id uuid not null,
  mode text not null,
  session_minted_at timestamptz not null,
  expires_at timestamptz not null,
  connector_slug text not null,
  secret_id uuid not null,
  sealed bytea not null,
  method text not null,
  scopes text[] not null,
  account text,
  account_id text,
  oauth_app text,
  access_expires_at timestamptz,
  ends_at timestamptz,
  -- The credential that the user has chosen to replace. Null: the credential of the same account, or a new one.
  replaces uuid,
  -- The label of a new credential. Null: the account's name.
  label text,
  primary key (organization_id, code_hash),
  foreign key (organization_id, registered_user_id) references registered_users on delete cascade
);
create index pending_secrets_by_expiry on pending_secrets (expires_at);
create index pending_secrets_by_user on pending_secrets (organization_id, registered_user_id);

-- The default label of an account: its name without invisible characters, at most 80 characters. Null if it has no usable name.
create function account_name_label(in_account text) returns text language sql immutable as $$
  select case when name <> '' and name !~ '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' then name end
  from (select trim(left(regexp_replace(regexp_replace(in_account,
    '[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]', '', 'g'),
    '[[:cntrl:]\u0080-\u009f\u2028\u2029]', ' ', 'g'), 80)) as name) cleaned
$$;

-- The wanted label if it is free, otherwise the same with a number. Without a wanted label: "Account 1", "Account 2" and so on.
create function free_account_label(in_wanted text, in_taken text[]) returns text language sql immutable as $$
  select label from (
    select n, case when in_wanted is null then 'Account ' || (cardinality(in_taken) + n)
      when n = 1 then in_wanted else in_wanted || ' (' || n || ')' end as label
    from generate_series(1, cardinality(in_taken) + 1) n) numbered
  where account_label_key(label) <> all(array(select account_label_key(taken) from unnest(in_taken) taken)) order by n limit 1
$$;

-- Revocation ----------------------------------------------------------------------------------------------------------

-- Secrets to revoke at the provider, and the outcomes. The row of a deleted user names neither the user nor the account: both are
-- encrypted together with the secret under the organization's key, for at most an hour.
create table revocations (
  organization_id uuid not null,
  id uuid not null default gen_random_uuid(),
  registered_user_id uuid,
  credential_id uuid,
  connector_slug text not null,
  oauth_app text,
  account text,
  account_id text,
  secret_id uuid not null,
  sealed bytea,
  sealed_under text not null check (sealed_under in ('user', 'organization')),
  reason text not null,
  attempts integer not null default 0,
  queued_at timestamptz not null default app_now(),
  due_at timestamptz not null default app_now(),
  give_up_at timestamptz not null,
  outcome text check (outcome in ('revoked', 'not_supported', 'kept_shared', 'gave_up')),
  finished_at timestamptz,
  primary key (organization_id, id),
  check ((outcome is null) = (sealed is not null)),
  check ((registered_user_id is null) = (sealed_under = 'organization'))
);
create index revocations_due on revocations (due_at) where outcome is null;
create index revocations_by_user on revocations (organization_id, registered_user_id) where outcome is null;
create index revocations_of_user on revocations (organization_id, registered_user_id, queued_at);

create function queue_revocation(in_credential credentials, in_reason text) returns void language sql as $$
  insert into revocations
    (organization_id, registered_user_id, credential_id, connector_slug, oauth_app, account, account_id, secret_id, sealed,
     sealed_under, reason, give_up_at)
  values
    (in_credential.organization_id, in_credential.registered_user_id, in_credential.id, in_credential.connector_slug,
     in_credential.oauth_app, in_credential.account, in_credential.account_id, in_credential.secret_id, in_credential.sealed,
     'user', in_reason, app_now() + interval '1 day')
$$;

-- Queues the revocation of a secret that did not become a credential. If it waited for the confirmation of a code, the session ends with
-- `in_status`.
create function end_pending_secret(in_secret pending_secrets, in_status text, in_reason text) returns void
language plpgsql as $$
declare
  is_code boolean := exists (
    select from link_sessions where organization_id = in_secret.organization_id and id = in_secret.session_id
      and code_hash = in_secret.code_hash);
begin
  insert into revocations
    (organization_id, registered_user_id, connector_slug, oauth_app, account, account_id, secret_id, sealed, sealed_under, reason,
     give_up_at)
  values
    (in_secret.organization_id, in_secret.registered_user_id, in_secret.connector_slug, in_secret.oauth_app, in_secret.account,
     in_secret.account_id, in_secret.secret_id, in_secret.sealed, 'user',
     case when in_reason = 'code_expired' and not is_code then 'choice_not_made' else in_reason end, app_now() + interval '1 day');
  update link_sessions set status = in_status
    where is_code and organization_id = in_secret.organization_id and id = in_secret.session_id and status = 'code_issued';
end $$;

-- Invalidates a credential and queues its revocation. Returns false if it does not exist or is revoked.
create function revoke_credential(in_organization uuid, in_user uuid, in_credential uuid, in_reason text) returns boolean
language plpgsql as $$
declare
  held credentials%rowtype;
begin
  -- Locks the user before the credential, as all other transactions do.
  perform from registered_users where organization_id = in_organization and id = in_user for no key update;
  select * into held from credentials
    where organization_id = in_organization and registered_user_id = in_user and id = in_credential and status <> 'revoked'
    for no key update;
  if not found then return false; end if;
  perform queue_revocation(held, in_reason);
  update credentials set status = 'revoked', status_reason = in_reason, sealed = null, version = version + 1,
      lease_fence = lease_fence + 1, lease_until = null, paused_until = null, updated_at = app_now()
    where organization_id = in_organization and id = held.id;
  delete from credential_shares where organization_id = in_organization and credential_id = held.id;
  perform record_event(in_organization, in_user, 'credential.revoked',
    jsonb_build_object('credential_id', held.id, 'connector_slug', held.connector_slug, 'label', held.label, 'reason', in_reason));
  return true;
end $$;

-- Revokes all credentials of a user, and the secrets that wait for their code.
create function revoke_credentials(in_organization uuid, in_user uuid, in_reason text) returns void
language plpgsql as $$
declare
  waiting pending_secrets%rowtype;
begin
  perform revoke_credential(organization_id, registered_user_id, id, in_reason) from credentials
    where organization_id = in_organization and registered_user_id = in_user and status <> 'revoked';
  for waiting in
    delete from pending_secrets where organization_id = in_organization and registered_user_id = in_user returning *
  loop
    perform end_pending_secret(waiting, 'code_ended', in_reason);
  end loop;
end $$;

-- Revokes all credentials of a connector, and the secrets that wait for their code.
create function revoke_connector_credentials(in_organization uuid, in_connector text, in_reason text) returns void
language plpgsql as $$
declare
  waiting pending_secrets%rowtype;
begin
  -- Locks the users first, as all other transactions do. A code that is being confirmed has become a credential after this.
  perform from registered_users where organization_id = in_organization and id in (
      select registered_user_id from credentials
        where organization_id = in_organization and connector_slug = in_connector and status <> 'revoked'
      union
      select registered_user_id from pending_secrets
        where organization_id = in_organization and connector_slug = in_connector)
    order by id for no key update;
  perform revoke_credential(organization_id, registered_user_id, id, in_reason) from (
    select organization_id, registered_user_id, id from credentials
    where organization_id = in_organization and connector_slug = in_connector and status <> 'revoked'
    order by registered_user_id) held;
  for waiting in
    delete from pending_secrets where organization_id = in_organization and connector_slug = in_connector returning *
  loop
    perform end_pending_secret(waiting, 'code_ended', in_reason);
  end loop;
end $$;

-- Credentials of a removed OAuth app cannot be refreshed, so their users must link again.
create function orphan_credentials(in_organization uuid, in_connector text, in_apps text[]) returns void
language plpgsql as $$
declare
  held record;
begin
  for held in
    select c.id, c.registered_user_id, c.label from credentials c
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
        jsonb_build_object('credential_id', held.id, 'connector_slug', in_connector, 'label', held.label, 'reason', 'oauth_app_removed'));
    end if;
  end loop;
end $$;

-- Ends the pauses that are over. Returns their number.
create function resume_due_credentials(in_limit bigint) returns bigint language plpgsql as $$
declare
  held record;
  resumed bigint := 0;
begin
  for held in
    select organization_id, registered_user_id, id, connector_slug, label from credentials
      where paused_until <= app_now() and organization_id not in (select id from unserved_organizations)
      order by organization_id, registered_user_id limit in_limit
  loop
    -- Locks the user before the credential, as all other transactions do.
    perform from registered_users where organization_id = held.organization_id and id = held.registered_user_id for no key update;
    update credentials set paused_until = null
      where organization_id = held.organization_id and id = held.id and paused_until <= app_now();
    if found then
      perform record_event(held.organization_id, held.registered_user_id, 'credential.resumed',
        jsonb_build_object('credential_id', held.id, 'connector_slug', held.connector_slug, 'label', held.label, 'reason', 'elapsed'));
      resumed := resumed + 1;
    end if;
  end loop;
  return resumed;
end $$;

-- All secrets that are encrypted with a user's data key.
create view sealed_secrets as
  select organization_id, registered_user_id, id as credential_id, connector_slug, oauth_app, account, account_id, secret_id, sealed
    from credentials where sealed is not null
  union all
  select organization_id, registered_user_id, null, connector_slug, oauth_app, account, account_id, secret_id, sealed
    from pending_secrets
  union all
  select organization_id, registered_user_id, credential_id, connector_slug, oauth_app, account, account_id, secret_id, sealed
    from revocations where sealed is not null and sealed_under = 'user';
