-- The current time, by which all expiry is decided. Tests replace this function to move the clock.
create function app_now() returns timestamptz language sql stable as $$ select now() $$;

-- A UUID of version 7: in order of time, and unique across installations, so that rows can be copied to another one.
create function uuid_v7() returns uuid language sql volatile as $$
  select (lpad(to_hex((1000 * extract(epoch from clock_timestamp()))::bigint), 12, '0') || '7'
    || substring(replace(gen_random_uuid()::text, '-', '') from 14))::uuid
$$;

-- Vault ---------------------------------------------------------------------------------------------------------------

-- Secrets of the service itself, such as the signing key, wrapped by the vault key.
create table service_secrets (
  name text primary key,
  wrapped bytea not null
);

-- The key ID in the header of a ciphertext.
create function sealing_key(in_sealed bytea) returns bytea language sql immutable parallel safe as $$
  select substring(in_sealed from 2 for 16)
$$;

-- A rotation of the vault key. Each transaction of it also advances this row, so that an interrupted rotation can continue.
create table key_rotations (
  id integer generated always as identity primary key,
  -- The vault key that wraps everything after the rotation.
  vault_key_id bytea not null,
  users_total bigint not null,
  users_done bigint not null default 0,
  secrets_done bigint not null default 0,
  -- The organization in progress, and the last user whose keys were rotated.
  organization_id uuid,
  user_id uuid,
  started_at timestamptz not null default app_now(),
  finished_at timestamptz
);
create unique index key_rotations_one_at_a_time on key_rotations ((true)) where finished_at is null;

-- Plans ---------------------------------------------------------------------------------------------------------------

-- The values of packages/contract/src/plans.ts, as functions that a statement can decide with. A test compares them.
-- Counted calls per cycle; null: unlimited.
create function plan_call_limit(plan text) returns integer language sql immutable as
  $$ select case plan when 'free' then 1000 when 'starter' then 10000 when 'business' then 100000 end $$;
-- Retention of records, in days.
create function plan_retention_days(plan text) returns integer language sql immutable as
  $$ select case plan when 'business' then 365 when 'enterprise' then 730 else 90 end $$;
-- How long events and their deliveries to webhook endpoints are kept. Longer than the attempts of a delivery take.
create function plan_event_days(plan text) returns integer language sql immutable as
  $$ select case plan when 'business' then 30 when 'enterprise' then 90 else 7 end $$;

-- Whether users may have a rate limit.
create function plan_has_rate_limits(plan text) returns boolean language sql immutable as
  $$ select plan in ('business', 'enterprise') $$;

-- The first day of the cycle that contains a time. A cycle starts on `cycle_day` of a month in UTC, or on the month's last day if it is
-- shorter.
create function cycle_of(cycle_day integer, at timestamptz) returns date language sql immutable as $$
  select max(begins) from (
    select (month + (least(cycle_day, extract(day from month + interval '1 month - 1 day')::integer) - 1) * interval '1 day')::date as begins
    from (select date_trunc('month', at at time zone 'UTC') - back * interval '1 month' as month from generate_series(0, 1) back) months
  ) candidates where begins <= (at at time zone 'UTC')::date
$$;

-- Organizations -------------------------------------------------------------------------------------------------------

create table organizations (
  id uuid primary key,
  name text not null,
  -- Follows from the ID, and starts all secrets of the organization.
  routing_code text not null unique,
  -- Only an active organization is served. `arriving` and `leaving`: it is being moved between installations. `moved`: another installation
  -- serves it. `suspended`: the operator has stopped it until it is activated again. `deleting`: its rows are being deleted.
  state text not null default 'active' check (state in ('active', 'suspended', 'arriving', 'leaving', 'moved', 'deleting')),
  -- Its deletion was requested in the dashboard, and the service deletes it: after the tokens of its users were revoked, or without that.
  pending_deletion text check (pending_deletion in ('revoke', 'keep_tokens')),
  -- The usage tables contain the calls of an organization that is not active up to this time. Null: up to `usage_progress`, like those of
  -- all active organizations. `set_organization_state` maintains it.
  usage_until timestamptz,
  plan text not null default 'enterprise' check (plan in ('free', 'starter', 'business', 'enterprise')),
  -- Set by the operator; replaces the plan's number of calls.
  call_limit integer check (call_limit >= 0),
  cycle_day smallint not null default extract(day from app_now() at time zone 'UTC') check (cycle_day between 1 and 31),
  link_binding text not null default 'interstitial' check (link_binding in ('interstitial', 'code_only')),
  runtime_callback_url text,
  -- Whether records contain arguments and results.
  capture text not null default 'off' check (capture in ('on', 'off')),
  -- Identifies the policy of the organization. Empty: it allows every call. Triggers of the policy maintain it.
  policy_hash text not null default '',
  created_at timestamptz not null default app_now()
);

-- Jobs skip these: another installation may serve the organization, its rows are being written or deleted, or it is suspended.
create view unserved_organizations as select id, state from organizations where state <> 'active';
create index organizations_unserved on organizations (id) where state <> 'active';

-- Ends the streams of an organization that is no longer served.
create function wake_organization() returns trigger language plpgsql as $$
begin
  perform pg_notify('carabiner_wake_ups', 'organization:' || new.id);
  return null;
end $$;
create trigger organizations_state_changed after update of state on organizations
  for each row when (old.state is distinct from new.state) execute function wake_organization();

-- Data keys of an organization, wrapped by the vault key. The highest generation encrypts; lower ones decrypt what they encrypted.
create table organization_keys (
  organization_id uuid not null references organizations on delete cascade,
  generation integer not null,
  wrapped bytea not null,
  created_at timestamptz not null default app_now(),
  primary key (organization_id, generation)
);

create table api_keys (
  organization_id uuid not null references organizations on delete cascade,
  id uuid not null,
  -- The ID of the first key, which a key that replaces another one inherits. Approvals and tasks belong to it.
  lineage uuid not null,
  mode text not null check (mode in ('production', 'test')),
  name text not null,
  hash bytea not null,
  hint text not null,
  -- A production key that was printed by the first start in development. A service in production revokes it when it starts.
  for_development boolean not null default false,
  created_at timestamptz not null default app_now(),
  created_by jsonb not null,
  -- The groups of operations of a restricted key. Null: not restricted.
  groups text[] check (cardinality(groups) > 0),
  -- Null: never. A rolled key expires at the end of its overlap.
  expires_at timestamptz,
  -- The current key that replaces this rolled one. If that one is rolled, too, this is its replacement.
  replaced_by uuid,
  -- When `api_key.expiring` was recorded.
  expiry_reported_at timestamptz,
  -- Written at most once a minute by each process.
  last_used_at timestamptz,
  revoked_at timestamptz,
  primary key (organization_id, id)
);
create index api_keys_by_hash on api_keys (hash, organization_id) where revoked_at is null;

create function is_valid_api_key(revoked_at timestamptz, expires_at timestamptz) returns boolean language sql stable as $$
  select revoked_at is null and coalesce(expires_at > app_now(), true)
$$;
create view valid_api_keys as
  select organization_id, id, lineage, mode, hash, groups from api_keys where is_valid_api_key(revoked_at, expires_at);

create table callback_origins (
  organization_id uuid not null references organizations on delete cascade,
  origin text not null,
  created_at timestamptz not null default app_now(),
  primary key (organization_id, origin)
);

-- Jobs ----------------------------------------------------------------------------------------------------------------

-- The last run of each job, in any process.
create table job_runs (
  name text primary key,
  ended_at timestamptz not null,
  succeeded_at timestamptz
);

-- Idempotency of management requests ----------------------------------------------------------------------------------

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
