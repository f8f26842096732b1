-- Events of the three sources. Those of calls have the IDs of their records, and those of violations the IDs of the violations. Calls that only
-- returned a link, asked for an approval or repeated an earlier answer are not reported. `at` orders a list, and leads to the partitions of `tool_calls`.
create view stored_events as
  select organization_id, id, mode, registered_user_id, sequence, type, payload as data, created_at as occurred_at, created_at as at, committed_in
  from events;
create view call_events as
  select organization_id, id, mode, registered_user_id, null::bigint as sequence,
    case outcome when 'success' then 'tool_call.completed' when 'blocked' then 'tool_call.blocked' else 'tool_call.failed' end as type,
    jsonb_build_object('tool_call_id', id, 'tool_pack_id', tool_pack_id, 'connector_slug', connector_slug, 'tool', tool,
      'credential_id', credential_id, 'account_label', account_label, 'outcome', outcome,
      'error_code', error_code, 'request_id', request_id, 'trace_id', trace_id, 'third_party_ms', third_party_ms) as data,
    finished_at as occurred_at, started_at as at, committed_in
  from tool_calls where outcome not in ('needs_auth', 'approval_required', 'replayed');
create view violation_events as
  select organization_id, id, mode, registered_user_id, null::bigint as sequence, 'rule.violated' as type,
    jsonb_build_object('rule_violation_id', id, 'tool_call_id', tool_call_id, 'direction', direction, 'entity', entity, 'rule', rule,
      'action', action, 'count', count, 'dry_run', dry_run) as data,
    at as occurred_at, at, committed_in
  from rule_violations;
create view reported_events as
  select * from stored_events union all select * from call_events union all select * from violation_events;

-- Endpoints -----------------------------------------------------------------------------------------------------------

create table webhook_endpoints (
  organization_id uuid not null references organizations on delete cascade,
  id uuid not null,
  mode text not null check (mode in ('production', 'test')),
  url text not null,
  -- Null: all types.
  event_types text[],
  description text,
  format text not null check (format in ('single', 'batch')),
  signature text not null check (signature in ('v1', 'v1a')),
  -- Encrypted with the organization's key. After a rotation, both secrets sign until `previous_until`.
  sealed_secret bytea not null,
  sealed_previous_secret bytea,
  previous_until timestamptz,
  -- For `v1a`: verifies the signatures.
  public_key text,
  -- A paused endpoint collects deliveries, a disabled one does not.
  status text not null default 'active' check (status in ('active', 'paused', 'disabled')),
  disabled_reason text check (disabled_reason in ('gone', 'attempts_exhausted')),
  -- Events of earlier transactions are not delivered.
  starts_in xid8 not null default pg_current_xact_id(),
  -- The circuit breaker: failed attempts in a row, and when the next one may be made.
  failures integer not null default 0,
  not_before timestamptz not null default '-infinity',
  last_success_at timestamptz,
  -- The process that delivers to the endpoint.
  leased_by uuid,
  leased_until timestamptz,
  created_at timestamptz not null default app_now(),
  primary key (organization_id, id),
  check ((signature = 'v1a') = (public_key is not null)),
  check ((status = 'disabled') = (disabled_reason is not null))
);

-- How far the events of an organization have been turned into deliveries: all transactions up to `position`. Exists from the first endpoint on.
create table event_positions (
  organization_id uuid primary key references organizations on delete cascade,
  position xid8 not null,
  read_at timestamptz not null default app_now()
);

-- The transaction before the oldest one that is still open.
create function last_settled_transaction() returns xid8 language sql stable as
  $$ select (pg_snapshot_xmin(pg_current_snapshot())::text::bigint - 1)::text::xid8 $$;

create function start_event_position() returns trigger language plpgsql as $$
begin
  insert into event_positions (organization_id, position) values (new.organization_id, last_settled_transaction()) on conflict do nothing;
  return null;
end $$;
create trigger webhook_endpoints_start_position after insert on webhook_endpoints
  for each row execute function start_event_position();

-- Deliveries ----------------------------------------------------------------------------------------------------------

-- One event for one endpoint. The ID follows from both, so that an event that is read twice has one delivery. Without a foreign key to the
-- user: `registered_user.deleted` is delivered after the user is gone. The others are deleted with the user by a trigger.
create table webhook_deliveries (
  organization_id uuid not null,
  id uuid not null,
  endpoint_id uuid not null,
  event_id uuid not null,
  type text not null,
  registered_user_id uuid,
  sequence bigint,
  -- An event with example data, which is sent once.
  is_test boolean not null default false,
  -- The event as it is sent.
  body text not null,
  occurred_at timestamptz not null,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  -- The request that the event was sent with, for an endpoint that receives batches. The same events are sent again together.
  batch_id uuid,
  attempt_count smallint not null default 0,
  -- All attempts, with time, duration, the headers of request and response, and the status and the start of the body of the response.
  attempts jsonb not null default '[]',
  -- When the next attempt is due.
  due_at timestamptz not null default app_now(),
  -- Until when later events of the same user, or later batches, wait for this one. Set by the first failure; without one, they wait.
  holds_until timestamptz,
  created_at timestamptz not null default app_now(),
  finished_at timestamptz,
  primary key (organization_id, id),
  foreign key (organization_id, endpoint_id) references webhook_endpoints on delete cascade
);
create index webhook_deliveries_by_time on webhook_deliveries (organization_id, endpoint_id, created_at, id);
create index webhook_deliveries_due on webhook_deliveries (organization_id, endpoint_id, due_at, sequence, id) where status = 'pending';
create index webhook_deliveries_failed on webhook_deliveries (organization_id, endpoint_id, created_at, id) where status = 'failed';
create index webhook_deliveries_by_user on webhook_deliveries (organization_id, registered_user_id) where registered_user_id is not null;
-- Events of a user are delivered in this order.
create index webhook_deliveries_in_order on webhook_deliveries (organization_id, endpoint_id, registered_user_id, sequence)
  where status = 'pending' and sequence is not null;

create function delete_deliveries_of_user() returns trigger language plpgsql as $$
begin
  delete from webhook_deliveries where organization_id = old.organization_id and registered_user_id = old.id;
  return null;
end $$;
create trigger registered_users_delete_deliveries after delete on registered_users
  for each row execute function delete_deliveries_of_user();

-- Makes the events that an archive had not turned into deliveries readable again, from a few minutes before on: an event may be delivered
-- twice, but none is lost. Called when an imported organization becomes active.
create function resume_events(in_organization uuid) returns void language plpgsql as $$
declare
  since timestamptz;
begin
  select read_at - interval '5 minutes' into since from event_positions where organization_id = in_organization;
  if since is null then return; end if;
  update events set committed_in = pg_current_xact_id() where organization_id = in_organization and created_at >= since;
  update rule_violations set committed_in = pg_current_xact_id() where organization_id = in_organization and at >= since;
  -- A call takes less than an hour.
  update tool_calls set committed_in = pg_current_xact_id()
    where organization_id = in_organization and mode in ('production', 'test') and started_at >= since - interval '1 hour' and finished_at >= since;
end $$;
