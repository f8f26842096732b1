-- The clock that judges every expiry. Tests replace this function to move time; nothing else does.
create function app_now() returns timestamptz language sql stable as $$ select now() $$;

-- vault ---------------------------------------------------------------------------------------------------------------

create table service_secrets (
  name text primary key,
  wrapped bytea not null
);

-- organizations -------------------------------------------------------------------------------------------------------

create table organizations (
  id uuid primary key,
  name text not null,
  plan text not null default 'enterprise' check (plan in ('free', 'starter', 'business', 'enterprise')),
  link_binding text not null default 'interstitial' check (link_binding in ('interstitial', 'code_only')),
  runtime_callback_url text,
  created_at timestamptz not null default app_now()
);

create table organization_keys (
  organization_id uuid primary key references organizations on delete cascade,
  wrapped bytea not null
);

create table api_keys (
  organization_id uuid not null references organizations on delete cascade,
  id uuid not null,
  mode text not null check (mode in ('production', 'test')),
  name text not null,
  hash bytea not null,
  hint text not null,
  created_at timestamptz not null default app_now(),
  revoked_at timestamptz,
  primary key (organization_id, id)
);
create index api_keys_by_hash on api_keys (hash) where revoked_at is null;
-- A production key exists once per organization.
create unique index api_keys_one_production on api_keys (organization_id) where mode = 'production' and revoked_at is null;

create table callback_origins (
  organization_id uuid not null references organizations on delete cascade,
  origin text not null,
  created_at timestamptz not null default app_now(),
  primary key (organization_id, origin)
);

-- connectors ----------------------------------------------------------------------------------------------------------

create table tool_packs (
  organization_id uuid not null references organizations on delete cascade,
  id uuid not null,
  name text not null,
  is_default boolean not null default false,
  -- null: every connector that is usable now
  connectors text[],
  created_at timestamptz not null default app_now(),
  primary key (organization_id, id)
);
create unique index tool_packs_one_default on tool_packs (organization_id) where is_default;

create function create_default_tool_pack(in_organization uuid, in_id uuid) returns void language sql as $$
  insert into tool_packs (organization_id, id, name, is_default) values (in_organization, in_id, 'Default', true)
$$;

-- registered users ----------------------------------------------------------------------------------------------------

create table registered_users (
  organization_id uuid not null references organizations on delete cascade,
  id uuid not null,
  mode text not null check (mode in ('production', 'test')),
  origin_user_id text not null,
  origin_user_name text,
  email text,
  is_active boolean not null default true,
  metadata jsonb not null default '{}',
  rate_limit_per_minute integer,
  -- The user's data key, wrapped by the organization's: deleting the row destroys everything sealed under it.
  data_key bytea not null,
  event_sequence bigint not null default 0,
  -- Sessions and codes minted before this moment are over. Deactivation moves it, so no sweep can miss one.
  sessions_ended_at timestamptz not null default '-infinity',
  created_at timestamptz not null default app_now(),
  primary key (organization_id, id),
  unique (organization_id, mode, origin_user_id)
-- Its event number changes often: room on the page keeps that from touching the indexes.
) with (fillfactor = 80);
create index registered_users_by_mode on registered_users (organization_id, mode, id);

-- events --------------------------------------------------------------------------------------------------------------

-- No foreign key to the organization: checking it would lock that one row for every event there is.
create table events (
  organization_id uuid not null,
  id bigint generated always as identity,
  registered_user_id uuid,
  -- per user, without gaps, in commit order
  sequence bigint,
  type text not null,
  payload jsonb not null,
  created_at timestamptz not null default app_now(),
  primary key (organization_id, id)
);
create index events_by_user on events (organization_id, registered_user_id, sequence);

-- The outbox: an event is written by the transaction whose change it tells of, or not at all.
create function record_event(in_organization uuid, in_user uuid, in_type text, in_payload jsonb) returns void
language plpgsql as $$
declare
  next_sequence bigint;
begin
  if in_user is not null then
    update registered_users set event_sequence = event_sequence + 1
      where organization_id = in_organization and id = in_user
      returning event_sequence into next_sequence;
  end if;
  insert into events (organization_id, registered_user_id, sequence, type, payload)
    values (in_organization, in_user, next_sequence, in_type, in_payload);
end $$;

-- credentials ---------------------------------------------------------------------------------------------------------

create table credentials (
  organization_id uuid not null,
  id uuid not null,
  registered_user_id uuid not null,
  connector_slug text not null,
  status text not null check (status in ('active', 'needs_reauth', 'revoked')),
  status_reason text,
  -- Names this one sealing in its associated data; every new secret has a new one.
  secret_id uuid not null,
  sealed bytea,
  version integer not null default 1,
  scopes text[] not null,
  account text,
  -- Which OAuth app the tokens belong to; null for an API key.
  oauth_app text,
  access_expires_at timestamptz,
  -- The lease under which one node at a time refreshes; a stale holder's fence no longer matches.
  lease_fence bigint not null default 0,
  lease_until timestamptz,
  created_at timestamptz not null default app_now(),
  updated_at timestamptz not null default app_now(),
  primary key (organization_id, id),
  unique (organization_id, registered_user_id, connector_slug),
  foreign key (organization_id, registered_user_id) references registered_users on delete cascade,
  check ((status = 'revoked') = (sealed is null))
);

-- What a finished authorization brought, until the application's word comes: it then moves to credentials, or is destroyed.
-- Redeeming a code is deleting its row here, so of any number of callers one has it.
create table waiting_secrets (
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
  scopes text[] not null,
  account text,
  oauth_app text,
  access_expires_at timestamptz,
  primary key (organization_id, code_hash),
  foreign key (organization_id, registered_user_id) references registered_users on delete cascade
);
create index waiting_secrets_by_expiry on waiting_secrets (expires_at);
create index waiting_secrets_by_user on waiting_secrets (organization_id, registered_user_id);

-- Tokens to be revoked at the provider, and the receipts. A row that outlives its user names neither user nor account: both are
-- sealed with the token under the organization's key, for an hour at most.
create table revocations (
  organization_id uuid not null,
  id uuid not null default gen_random_uuid(),
  registered_user_id uuid,
  connector_slug text not null,
  oauth_app text,
  secret_id uuid not null,
  sealed bytea,
  sealed_under text not null check (sealed_under in ('user', 'organization')),
  reason text not null,
  attempts integer not null default 0,
  due_at timestamptz not null default app_now(),
  give_up_at timestamptz not null,
  outcome text check (outcome in ('revoked', 'not_supported', 'gave_up')),
  finished_at timestamptz,
  primary key (organization_id, id),
  check ((outcome is null) = (sealed is not null)),
  check ((registered_user_id is null) = (sealed_under = 'organization'))
);
create index revocations_due on revocations (due_at) where outcome is null;
create index revocations_by_user on revocations (organization_id, registered_user_id) where outcome is null;

create function queue_revocation(
  in_organization uuid, in_user uuid, in_connector text, in_oauth_app text, in_secret uuid, in_sealed bytea, in_reason text
) returns void language sql as $$
  insert into revocations
    (organization_id, registered_user_id, connector_slug, oauth_app, secret_id, sealed, sealed_under, reason, give_up_at)
  values
    (in_organization, in_user, in_connector, in_oauth_app, in_secret, in_sealed, 'user', in_reason, app_now() + interval '1 day')
$$;

-- linking -------------------------------------------------------------------------------------------------------------

create table link_sessions (
  organization_id uuid not null,
  id uuid not null,
  registered_user_id uuid not null,
  mode text not null,
  tool_pack_id uuid not null,
  locked_connector text,
  callback_url text,
  callback_origin text,
  state text,
  -- The link token and the magic link are two spellings of one secret.
  secret_hash bytea not null,
  minted_at timestamptz not null default app_now(),
  expires_at timestamptz not null,
  opened_at timestamptz,
  key_checks integer not null default 0,
  -- `code_issued` says that a code went out; it can be redeemed while its secret still waits, and only then.
  status text not null default 'minted'
    check (status in ('minted', 'code_issued', 'completed', 'code_rejected', 'code_expired', 'code_ended')),
  completed_at timestamptz,
  connector_slug text,
  account text,
  code_hash bytea,
  code_expires_at timestamptz,
  primary key (organization_id, id),
  foreign key (organization_id, registered_user_id) references registered_users on delete cascade,
  check ((status = 'minted') = (completed_at is null)),
  check (state is null or callback_url is not null)
);
create index link_sessions_by_secret on link_sessions (secret_hash);
create index link_sessions_by_code on link_sessions (code_hash) where code_hash is not null;
-- For retention alone: rows come in order of time, so a block-range index finds the old ones and costs a mint nothing.
create index link_sessions_by_age on link_sessions using brin (expires_at);
create index link_sessions_by_user on link_sessions (organization_id, registered_user_id);

-- One try at the third party; a session may have several, of which one at most completes it.
create table link_attempts (
  organization_id uuid not null,
  id uuid not null,
  session_id uuid not null,
  connector_slug text not null,
  oauth_app text,
  state_hash bytea,
  browser_hash bytea not null,
  sealed_verifier bytea,
  started_at timestamptz not null default app_now(),
  returned_at timestamptz,
  outcome text check (outcome in ('completed', 'exited', 'failed')),
  reason text,
  primary key (organization_id, id),
  foreign key (organization_id, session_id) references link_sessions on delete cascade
);
create index link_attempts_by_state on link_attempts (state_hash) where state_hash is not null;
create index link_attempts_by_session on link_attempts (organization_id, session_id, started_at);

-- The end of a code that was not redeemed: its secret is handed to the revocation job, and the session says why.
create function end_waiting_secret(in_secret waiting_secrets, in_status text, in_reason text) returns void language plpgsql as $$
begin
  perform queue_revocation(in_secret.organization_id, in_secret.registered_user_id, in_secret.connector_slug, in_secret.oauth_app,
    in_secret.secret_id, in_secret.sealed, in_reason);
  update link_sessions set status = in_status
    where organization_id = in_secret.organization_id and id = in_secret.session_id and status = 'code_issued';
end $$;

-- Deactivation: every credential of the user, stored or waiting for its code, is void here at once and handed to the
-- revocation job.
create function revoke_credentials(in_organization uuid, in_user uuid, in_reason text) returns void language plpgsql as $$
declare
  held credentials%rowtype;
  waiting waiting_secrets%rowtype;
begin
  for held in
    select * from credentials
      where organization_id = in_organization and registered_user_id = in_user and status <> 'revoked' for no key update
  loop
    perform queue_revocation(in_organization, in_user, held.connector_slug, held.oauth_app, held.secret_id, held.sealed, in_reason);
    update credentials set status = 'revoked', status_reason = in_reason, sealed = null, version = version + 1,
        lease_fence = lease_fence + 1, lease_until = null, updated_at = app_now()
      where organization_id = in_organization and id = held.id;
    perform record_event(in_organization, in_user, 'credential.revoked',
      jsonb_build_object('credential_id', held.id, 'connector_slug', held.connector_slug, 'reason', in_reason));
  end loop;
  for waiting in
    delete from waiting_secrets where organization_id = in_organization and registered_user_id = in_user returning *
  loop
    perform end_waiting_secret(waiting, 'code_ended', in_reason);
  end loop;
end $$;

-- Every secret that is sealed under a user's data key, wherever it waits.
create view sealed_secrets as
  select organization_id, registered_user_id, connector_slug, oauth_app, secret_id, sealed from credentials where sealed is not null
  union all
  select organization_id, registered_user_id, connector_slug, oauth_app, secret_id, sealed from waiting_secrets
  union all
  select organization_id, registered_user_id, connector_slug, oauth_app, secret_id, sealed from revocations
    where sealed is not null and sealed_under = 'user';

-- idempotency ---------------------------------------------------------------------------------------------------------

create table idempotency_keys (
  organization_id uuid not null,
  mode text not null,
  key_hash bytea not null,
  fingerprint bytea not null,
  registered_user_id uuid,
  response_status integer,
  sealed_response bytea,
  expires_at timestamptz not null,
  primary key (organization_id, mode, key_hash)
);
create index idempotency_keys_by_expiry on idempotency_keys (expires_at);
create index idempotency_keys_by_user on idempotency_keys (organization_id, registered_user_id) where registered_user_id is not null;

-- tool calls ----------------------------------------------------------------------------------------------------------

-- Admission reserves a row, completion settles it. A row that stays `reserved` belongs to a call that died: `unknown`.
create table tool_calls (
  organization_id uuid not null,
  id uuid not null,
  registered_user_id uuid not null,
  tool_pack_id uuid not null,
  mode text not null,
  connector_slug text not null,
  tool text not null,
  outcome text not null check (outcome in ('reserved', 'success', 'error', 'needs_auth', 'blocked', 'limited', 'unknown')),
  error_code text,
  counted boolean not null default false,
  request_id text not null,
  started_at timestamptz not null default app_now(),
  finished_at timestamptz,
  third_party_ms integer,
  primary key (organization_id, id),
  foreign key (organization_id, registered_user_id) references registered_users on delete cascade
);
create index tool_calls_by_user on tool_calls (organization_id, registered_user_id, started_at);
create index tool_calls_reserved on tool_calls (started_at) where outcome = 'reserved';

-- What the owners publish: to each other, and to the one query that admits a call.
create view waiting_codes as select organization_id, code_hash from waiting_secrets;
create view linked_connectors as
  select organization_id, registered_user_id, connector_slug, account from credentials where status = 'active';
create view admission_keys as
  select k.hash, k.organization_id, k.id, k.mode, o.plan, o.link_binding, o.runtime_callback_url
  from api_keys k join organizations o on o.id = k.organization_id where k.revoked_at is null;
create view admission_users as
  select organization_id, id, mode, is_active, data_key, rate_limit_per_minute from registered_users;
create view admission_packs as
  select organization_id, id, connectors from tool_packs;
create view admission_credentials as
  select organization_id, id, registered_user_id, connector_slug, status, status_reason, secret_id, sealed, version, scopes,
    oauth_app, access_expires_at, coalesce(access_expires_at <= app_now() + interval '1 minute', false) as refresh_due
  from credentials;
