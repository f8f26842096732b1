-- Keys for agents: one user, selected Tool Packs, valid for the MCP endpoint only.
create table mcp_keys (
  organization_id uuid not null,
  id uuid not null,
  registered_user_id uuid not null,
  name text not null,
  hash bytea not null,
  hint text not null,
  tool_pack_ids uuid[] not null,
  created_at timestamptz not null default app_now(),
  -- Written at most once a minute by each process.
  last_used_at timestamptz,
  expires_at timestamptz not null,
  primary key (organization_id, id),
  foreign key (organization_id, registered_user_id) references registered_users on delete cascade
);
create unique index mcp_keys_by_hash on mcp_keys (hash, organization_id);
create index mcp_keys_by_user on mcp_keys (organization_id, registered_user_id, id);
create index mcp_keys_by_hint on mcp_keys (organization_id, hint);
create index mcp_keys_by_expiry on mcp_keys (expires_at);

-- Sign-in -------------------------------------------------------------------------------------------------------------

-- How users of a mode sign in at the MCP endpoint: at an OpenID Connect provider, or in the application.
create table sign_in_settings (
  organization_id uuid not null references organizations on delete cascade,
  mode text not null check (mode in ('production', 'test')),
  id uuid not null,
  issuer text,
  client_id text,
  sealed_secret bytea,
  scopes text[] not null default '{}',
  user_claim text not null default 'sub',
  -- Whether an email address counts although the provider does not state that it is verified.
  trust_email boolean not null default false,
  create_users boolean not null default false,
  -- Whether clients may present an assertion of the provider instead of asking the user.
  accept_assertions boolean not null default false,
  -- Whether users can sign in here to decide about calls: a person, or a key that may loosen policies, has chosen the provider.
  for_approvals boolean not null default false,
  -- The page of the application that signs users in.
  sign_in_url text,
  -- Null: all Tool Packs.
  tool_pack_ids uuid[],
  updated_at timestamptz not null default app_now(),
  primary key (organization_id, mode),
  check ((issuer is null) <> (sign_in_url is null)),
  check ((issuer is null) = (client_id is null))
);

-- Authorization requests of MCP clients, until the user agrees or refuses.
create table sign_in_requests (
  organization_id uuid not null references organizations on delete cascade,
  id uuid not null,
  mode text not null,
  tool_pack_id uuid not null,
  client_id text not null,
  client_name text not null,
  redirect_uri text not null,
  -- The `state` of the client.
  state text,
  code_challenge text not null,
  -- The browser that has started. No other browser can continue.
  browser_hash bytea not null,
  -- The network that has started, as a keyed hash: each may have a number of open requests.
  network_hash bytea not null,
  created_at timestamptz not null default app_now(),
  expires_at timestamptz not null,
  -- When the identity provider has sent the browser back.
  returned_at timestamptz,
  -- Why the person cannot sign in. The page shows it until the person returns to the client.
  rejection text,
  -- The user that the application names, and the secret of the link that continues the request as this user.
  proposed_user_id uuid,
  continue_hash bytea,
  registered_user_id uuid,
  primary key (organization_id, id),
  foreign key (organization_id, registered_user_id) references registered_users on delete cascade,
  foreign key (organization_id, proposed_user_id) references registered_users on delete cascade
);
create index sign_in_requests_by_user on sign_in_requests (organization_id, registered_user_id);
create index sign_in_requests_by_proposed_user on sign_in_requests (organization_id, proposed_user_id);
create index sign_in_requests_by_network on sign_in_requests (organization_id, network_hash, expires_at);
create index sign_in_requests_by_expiry on sign_in_requests (expires_at);

-- What users have allowed: a client may use a Tool Pack for the user. Revoking deletes the row, and with it all tokens.
create table client_grants (
  organization_id uuid not null,
  id uuid not null,
  registered_user_id uuid not null,
  tool_pack_id uuid not null,
  client_id text not null,
  client_name text not null,
  created_at timestamptz not null default app_now(),
  -- When tokens were last issued.
  last_used_at timestamptz not null default app_now(),
  expires_at timestamptz not null,
  -- The authorization code. Its hash stays, so that a replay is recognized.
  code_hash bytea,
  code_challenge text,
  redirect_uri text,
  code_expires_at timestamptz,
  code_used_at timestamptz,
  primary key (organization_id, id),
  foreign key (organization_id, registered_user_id) references registered_users on delete cascade
);
create unique index client_grants_by_code on client_grants (code_hash, organization_id) where code_hash is not null;
create index client_grants_by_user on client_grants (organization_id, registered_user_id, id);
create index client_grants_by_expiry on client_grants (expires_at);

-- Assertions of identity providers that were exchanged. Each works once.
create table used_assertions (
  organization_id uuid not null references organizations on delete cascade,
  hash bytea not null,
  expires_at timestamptz not null,
  primary key (organization_id, hash)
);
create index used_assertions_by_expiry on used_assertions (expires_at);

create table access_tokens (
  organization_id uuid not null,
  hash bytea not null,
  grant_id uuid not null,
  registered_user_id uuid not null,
  tool_pack_ids uuid[] not null,
  expires_at timestamptz not null,
  primary key (organization_id, hash),
  foreign key (organization_id, grant_id) references client_grants on delete cascade
);
create unique index access_tokens_by_hash on access_tokens (hash, organization_id);
create index access_tokens_by_grant on access_tokens (organization_id, grant_id);
create index access_tokens_by_expiry on access_tokens (expires_at);

-- A refresh token works once, and for a short time after that a few times more. A used one stays, so that its reuse is recognized.
create table refresh_tokens (
  organization_id uuid not null,
  hash bytea not null,
  grant_id uuid not null,
  expires_at timestamptz not null,
  -- The first use, and the number of uses.
  used_at timestamptz,
  uses integer not null default 0,
  primary key (organization_id, hash),
  foreign key (organization_id, grant_id) references client_grants on delete cascade
);
create unique index refresh_tokens_by_hash on refresh_tokens (hash, organization_id);
create index refresh_tokens_by_grant on refresh_tokens (organization_id, grant_id);
create index refresh_tokens_by_expiry on refresh_tokens (expires_at);

-- Calls ---------------------------------------------------------------------------------------------------------------

-- Calls between admission and settlement. If the process of a call is killed, it is unknown whether the call was carried out. Every call
-- inserts and deletes a row, so there is only one index and no foreign key. The settlement locks the user instead, and a row of a deleted
-- user is deleted without a record.
create table calls_in_flight (
  organization_id uuid not null,
  id uuid not null,
  registered_user_id uuid not null,
  tool_pack_id uuid not null,
  mode text not null,
  connector_slug text not null,
  tool text not null,
  -- The account that the call uses, and its label at that time.
  credential_id uuid,
  account_label text,
  request_id text not null,
  trace_id text,
  started_at timestamptz not null default app_now(),
  retention_days smallint not null,
  -- The slot of `plan_allowances` that the call is reserved in; null without a limit.
  cycle date,
  slot smallint,
  -- The day of `pack_days` that the call is reserved on; null without a limit.
  pack_day date,
  -- The tools that conditions of policies count the call as; null until it is reserved for them.
  counted_as jsonb,
  primary key (organization_id, id)
);

-- Records of settled calls, partitioned by retention and time, so that expired records are dropped instead of deleted. They are deleted
-- with their user by a trigger: a foreign key would be checked for every record, and the settlement has locked the user anyway.
create table tool_calls (
  organization_id uuid not null,
  id uuid not null,
  registered_user_id uuid not null,
  tool_pack_id uuid not null,
  mode text not null,
  connector_slug text not null,
  tool text not null,
  credential_id uuid,
  account_label text,
  outcome text not null check (outcome in ('success', 'replayed', 'error', 'needs_auth', 'approval_required', 'blocked', 'limited', 'unknown', 'withheld')),
  error_code text,
  -- The decision that ended the call. Null: it was carried out, or its process was killed.
  ended_at_step text,
  counted boolean not null default false,
  -- Whether the provider has carried out the call, or may have.
  carried_out boolean not null default false,
  -- As in `calls_in_flight`. Null: the call counts as its own tool.
  counted_as jsonb,
  request_id text not null,
  trace_id text,
  started_at timestamptz not null default app_now(),
  finished_at timestamptz not null default app_now(),
  third_party_ms integer,
  gateway_ms real,
  rules_ms real,
  arguments_bytes integer,
  result_bytes integer,
  -- What the view of the Tool Pack has left of the result. Null: no view.
  view_bytes integer,
  headers jsonb,
  -- Matches of security rules by entity, without the values.
  matches jsonb,
  -- Arguments and result after redaction, encrypted with the user's data key.
  payload bytea,
  retention_days smallint not null,
  -- As in `events`.
  committed_in xid8 not null default pg_current_xact_id(),
  primary key (organization_id, id, retention_days, started_at)
) partition by list (retention_days);
-- Ciphertext does not compress.
alter table tool_calls alter column payload set storage external;

-- For pages, newest first. Each index leads with a filter; other filters are applied to its rows. Rare values have partial indexes.
-- `tool_calls_by_time` comes first: without statistics PostgreSQL prefers the newer of two indexes, and that one fits every query.
create index tool_calls_by_time on tool_calls (organization_id, mode, started_at, id);
create index tool_calls_by_connector on tool_calls (organization_id, mode, connector_slug, started_at, id);
create index tool_calls_by_outcome on tool_calls (organization_id, mode, outcome, started_at, id) where outcome <> 'success';
create index tool_calls_by_user on tool_calls (registered_user_id, started_at, id);
create index tool_calls_by_trace on tool_calls (organization_id, trace_id, started_at, id) where trace_id is not null;
create index tool_calls_by_request on tool_calls (request_id, started_at, id);
-- For their events. A batch of calls has one transaction, and PostgreSQL stores equal keys once.
create index tool_calls_by_commit on tool_calls (organization_id, committed_in);

create table tool_calls_90 partition of tool_calls for values in (90) partition by range (started_at);
create table tool_calls_365 partition of tool_calls for values in (365) partition by range (started_at);
create table tool_calls_730 partition of tool_calls for values in (730) partition by range (started_at);
-- For records outside of all partitions that were created ahead.
create table tool_calls_90_default partition of tool_calls_90 default;
create table tool_calls_365_default partition of tool_calls_365 default;
create table tool_calls_730_default partition of tool_calls_730 default;

-- The period of a partition.
create function record_period(retention_days integer) returns text language sql immutable as
  $$ select case when retention_days = 90 then 'week' else 'month' end $$;

create function record_partition_name(days integer, begins timestamp) returns text language sql immutable as
  $$ select format('tool_calls_%s_%s', days, to_char(begins, 'YYYYMMDD')) $$;

-- Creates the partition of a period, unless it exists. A period that has records in the default partition stays there.
create function create_record_partition(days integer, begins timestamp) returns void language plpgsql as $$
declare
  ends timestamp := begins + ('1 ' || record_period(days))::interval;
  partition text := record_partition_name(days, begins);
  has_records boolean;
begin
  if to_regclass(partition) is not null then return; end if;
  execute format('select exists (select from tool_calls_%s_default where started_at >= %L and started_at < %L)',
    days, begins at time zone 'UTC', ends at time zone 'UTC') into has_records;
  if has_records then return; end if;
  execute format('create table %I partition of tool_calls_%s for values from (%L) to (%L)',
    partition, days, begins at time zone 'UTC', ends at time zone 'UTC');
end $$;

-- Creates the partitions of the current and the next two periods, and of `before` earlier ones.
create function create_record_partitions(before integer default 0) returns void language sql as $$
  select create_record_partition(days, date_trunc(record_period(days), app_now() at time zone 'UTC') + ahead * ('1 ' || record_period(days))::interval)
  from unnest(array[90, 365, 730]) days, generate_series(-before, 2) ahead
$$;

-- Drops the partitions that contain expired records only, and returns their names.
create function drop_record_partitions() returns setof text language plpgsql as $$
declare
  partition record;
  ends timestamp;
begin
  for partition in
    select c.relname as name, substring(c.relname from '^tool_calls_(\d+)_')::integer as days,
      to_date(substring(c.relname from '_(\d{8})$'), 'YYYYMMDD') as begins
    from pg_class c where c.relkind = 'r' and c.relname ~ '^tool_calls_\d+_\d{8}$'
  loop
    ends := partition.begins + ('1 ' || record_period(partition.days))::interval;
    continue when ends at time zone 'UTC' > app_now() - partition.days * interval '1 day';
    execute format('drop table %I', partition.name);
    return next partition.name;
  end loop;
  delete from tool_calls_90_default where started_at <= app_now() - interval '90 days';
  delete from tool_calls_365_default where started_at <= app_now() - interval '365 days';
  delete from tool_calls_730_default where started_at <= app_now() - interval '730 days';
end $$;

select create_record_partitions();

-- Answers and results -------------------------------------------------------------------------------------------------

-- A call with an idempotency key is carried out once. A repetition within a day gets the same answer.
create table tool_call_answers (
  organization_id uuid not null,
  registered_user_id uuid not null,
  key_hash bytea not null,
  -- Keyed hash of tool and arguments.
  fingerprint bytea not null,
  -- Only this call may store the answer or release the key.
  call_id uuid not null,
  -- Null until the call has ended with a result. Encrypted with the user's data key.
  sealed bytea,
  -- Without a result after this time, it is unknown whether the call was carried out.
  pending_until timestamptz not null,
  expires_at timestamptz not null,
  primary key (organization_id, registered_user_id, key_hash),
  foreign key (organization_id, registered_user_id) references registered_users on delete cascade
);
create index tool_call_answers_by_expiry on tool_call_answers (expires_at);

-- Whole results that exceeded the limit of a Tool Pack with `result_handles`, for an hour.
create table stored_results (
  organization_id uuid not null,
  id uuid not null,
  registered_user_id uuid not null,
  tool_pack_id uuid not null,
  sealed bytea not null,
  expires_at timestamptz not null,
  primary key (organization_id, id),
  foreign key (organization_id, registered_user_id) references registered_users on delete cascade
);
create index stored_results_by_user on stored_results (organization_id, registered_user_id);
create index stored_results_by_expiry on stored_results (expires_at);

-- Tools that a search has added to the list of a session, in a Tool Pack that is served as `reveal`. They only decide what is listed.
create table revealed_tools (
  organization_id uuid not null,
  registered_user_id uuid not null,
  tool_pack_id uuid not null,
  -- Hash of the session ID. Clients without a session share one row.
  session_hash bytea not null,
  -- The latest first.
  tools text[] not null,
  expires_at timestamptz not null,
  primary key (organization_id, registered_user_id, tool_pack_id, session_hash),
  foreign key (organization_id, registered_user_id) references registered_users on delete cascade
);
create index revealed_tools_by_expiry on revealed_tools (expires_at);
