-- Number of calls per day and user. The nil UUID stands for users who were deleted.
create table usage_days (
  organization_id uuid not null references organizations on delete cascade,
  mode text not null,
  day date not null,
  registered_user_id uuid not null,
  connector_slug text not null,
  tool text not null,
  outcome text not null,
  calls bigint not null,
  counted bigint not null,
  primary key (organization_id, mode, day, connector_slug, tool, outcome, registered_user_id)
);
create index usage_days_by_user on usage_days (organization_id, registered_user_id);

-- The same without users: most requests need only this, and it has far fewer rows.
create table usage_totals (
  organization_id uuid not null references organizations on delete cascade,
  mode text not null,
  day date not null,
  connector_slug text not null,
  tool text not null,
  outcome text not null,
  calls bigint not null,
  counted bigint not null,
  primary key (organization_id, mode, day, connector_slug, tool, outcome)
);

-- The usage tables contain exactly the calls that started before `until`.
create table usage_progress (
  until timestamptz not null,
  only_one boolean primary key default true check (only_one)
);
insert into usage_progress values ('-infinity');

-- The calls of a cycle that count, including those of users who were deleted since.
create function counted_calls(in_organization uuid, in_cycle date) returns bigint language sql stable as $$
  select (select coalesce(sum(counted), 0) from usage_totals
      where organization_id = in_organization and mode = 'production' and day >= in_cycle)::bigint
    + (select count(*) from tool_calls where organization_id = in_organization and mode = 'production' and counted
      and started_at >= greatest(in_cycle::timestamp at time zone 'UTC',
        (select coalesce(o.usage_until, p.until) from organizations o cross join usage_progress p where o.id = in_organization)))
$$;

-- Limits --------------------------------------------------------------------------------------------------------------

-- The calls of a cycle are divided among a few slots, and each node takes from one, so that calls do not wait for other nodes. The sum of
-- `granted` never exceeds the limit.
create table plan_allowances (
  organization_id uuid not null references organizations on delete cascade,
  cycle date not null,
  slot smallint not null,
  granted integer not null,
  taken integer not null check (taken >= 0),
  -- On slot 0: whether `usage.limit_reached` was recorded.
  limit_reported boolean not null default false,
  primary key (organization_id, cycle, slot)
) with (fillfactor = 50);

-- Rate limits of users. `free_at`: when the bucket will be full again, which is all that a token bucket needs.
create table rate_buckets (
  organization_id uuid not null,
  registered_user_id uuid not null,
  free_at timestamptz not null,
  primary key (organization_id, registered_user_id),
  foreign key (organization_id, registered_user_id) references registered_users on delete cascade
) with (fillfactor = 50);

-- Calls of Tool Packs that have a daily limit. `taken`: those that count, and those in flight.
create table pack_days (
  organization_id uuid not null,
  tool_pack_id uuid not null,
  day date not null,
  taken integer not null check (taken >= 0),
  primary key (organization_id, tool_pack_id, day),
  foreign key (organization_id, tool_pack_id) references tool_packs on delete cascade
) with (fillfactor = 50);

-- The calls of a Tool Pack on the current day (UTC), before the first one that is reserved.
create function pack_calls_today(in_organization uuid, in_pack uuid) returns integer language sql stable as $$
  select (
    (select count(*) from tool_calls where organization_id = in_organization and tool_pack_id = in_pack and mode = 'production' and counted
      and started_at >= date_trunc('day', app_now(), 'UTC'))
    + (select count(*) from calls_in_flight where organization_id = in_organization and tool_pack_id = in_pack and mode = 'production'
      and started_at >= date_trunc('day', app_now(), 'UTC')))::integer
$$;

-- Without a limit, calls were not reserved, so a new limit begins with the calls that were made.
create function recount_pack_calls() returns trigger language plpgsql as $$
begin
  delete from pack_days where organization_id = new.organization_id and tool_pack_id = new.id;
  return null;
end $$;
create trigger tool_packs_limit_added after update of daily_call_limit on tool_packs
  for each row when (old.daily_call_limit is null and new.daily_call_limit is not null)
  execute function recount_pack_calls();

-- Calls from before the limit count, and calls in flight may count.
create function calls_before_limit(in_organization uuid, in_cycle date) returns bigint language sql stable as $$
  select counted_calls(in_organization, in_cycle)
    + (select count(*) from calls_in_flight where organization_id = in_organization and mode = 'production' and cycle is null)
$$;

-- The remaining calls of a cycle; 0 or less if none remain.
create function remaining_allowance(in_organization uuid, in_cycle date, in_limit integer) returns integer language sql stable as $$
  select (in_limit - coalesce(
    (select sum(taken) from plan_allowances where organization_id = in_organization and cycle = in_cycle),
    calls_before_limit(in_organization, in_cycle)))::integer
$$;

-- Divides the remaining calls of a cycle among the slots; `in_slot` also gets the remainder. Returns false if none remain.
create function divide_allowance(in_organization uuid, in_cycle date, in_limit integer, in_slot smallint) returns boolean
language plpgsql as $$
declare
  slots constant integer := 8;
  free integer;
begin
  if not exists (select from plan_allowances where organization_id = in_organization and cycle = in_cycle) then
    insert into plan_allowances (organization_id, cycle, slot, granted, taken)
    select in_organization, in_cycle, n, 0, case when n > 0 then 0 else calls_before_limit(in_organization, in_cycle) end
    from generate_series(0, slots - 1) n
    on conflict do nothing;
  end if;
  perform from plan_allowances where organization_id = in_organization and cycle = in_cycle order by slot for no key update;
  free := remaining_allowance(in_organization, in_cycle, in_limit);
  update plan_allowances set granted = taken + case when free <= 0 then 0 when slot = in_slot then free - (slots - 1) * (free / slots)
    else free / slots end
  where organization_id = in_organization and cycle = in_cycle;
  return free > 0;
end $$;

-- Reserves a call whose slot is empty. Returns false if all slots are, and records that once per cycle.
create function reserve_call(in_organization uuid, in_call uuid, in_slot smallint) returns boolean language plpgsql as $$
declare
  at_cycle date;
  at_limit integer;
begin
  select coalesce(call_limit, plan_call_limit(plan)), cycle_of(cycle_day, app_now()) into at_limit, at_cycle
    from organizations where id = in_organization;
  if at_limit is null then return true; end if;
  if divide_allowance(in_organization, at_cycle, at_limit, in_slot) then
    update calls_in_flight set cycle = at_cycle, slot = in_slot where organization_id = in_organization and id = in_call;
    if found then
      update plan_allowances set taken = taken + 1 where organization_id = in_organization and cycle = at_cycle and slot = in_slot;
    end if;
    return true;
  end if;
  update plan_allowances set limit_reported = true where organization_id = in_organization and cycle = at_cycle and slot = 0 and not limit_reported;
  if found then
    perform record_event(in_organization, null, 'usage.limit_reached', jsonb_build_object('cycle', at_cycle, 'limit', at_limit), 'production');
  end if;
  return false;
end $$;

-- A changed limit applies from the next call on.
create function apply_changed_limit() returns trigger language plpgsql as $$
declare
  at_limit integer := coalesce(new.call_limit, plan_call_limit(new.plan));
  at_cycle date := cycle_of(new.cycle_day, app_now());
begin
  if at_limit is not null then
    -- Without a limit, calls were not taken from the slots.
    if coalesce(old.call_limit, plan_call_limit(old.plan)) is null then
      delete from plan_allowances where organization_id = new.id and cycle = at_cycle;
    end if;
    update plan_allowances set limit_reported = false where organization_id = new.id and cycle = at_cycle and slot = 0;
    perform divide_allowance(new.id, at_cycle, at_limit, 0::smallint);
  end if;
  return null;
end $$;
create trigger organizations_limit_changed after update of plan, call_limit on organizations
  for each row when (old.plan is distinct from new.plan or old.call_limit is distinct from new.call_limit)
  execute function apply_changed_limit();

-- Usage ---------------------------------------------------------------------------------------------------------------

-- Adds new records to the usage tables. A record is written at the end of a call with the time of its start, so records are complete up
-- to the oldest call in flight. Calls whose admission is not committed yet are seconds old.
create function sum_usage() returns void language plpgsql as $$
declare
  since timestamptz;
  upto timestamptz;
begin
  select until into since from usage_progress for update;
  upto := least(app_now() - interval '5 minutes',
    (select min(started_at) from calls_in_flight
      where organization_id not in (select id from unserved_organizations where state <> 'suspended')));
  if upto <= since then return; end if;
  with fresh as materialized (
  select o.id as organization_id, m.mode, s.* from organizations o cross join (values ('production'), ('test')) m(mode)
  cross join lateral (
    select (started_at at time zone 'UTC')::date as day, registered_user_id, connector_slug, tool, outcome, count(*) as calls,
      count(*) filter (where counted) as counted
    from tool_calls c where c.organization_id = o.id and c.mode = m.mode and c.started_at >= since and c.started_at < upto
    group by 1, 2, 3, 4, 5
  ) s where o.state = 'active'), totals as (
    insert into usage_totals as t
    select organization_id, mode, day, connector_slug, tool, outcome, sum(calls), sum(counted) from fresh group by 1, 2, 3, 4, 5, 6
    on conflict (organization_id, mode, day, connector_slug, tool, outcome)
      do update set calls = t.calls + excluded.calls, counted = t.counted + excluded.counted
  )
  insert into usage_days as u select * from fresh
  on conflict (organization_id, mode, day, connector_slug, tool, outcome, registered_user_id)
    do update set calls = u.calls + excluded.calls, counted = u.counted + excluded.counted;
  update usage_progress set until = upto;
end $$;

-- Records calls whose process has ended as `unknown` and releases their reservations: the calls of one organization, or all calls that are
-- older than any call may take. Users are locked before their calls, as everywhere else; those that another transaction has locked are left
-- to the next run.
create function mark_calls_unknown(in_organization uuid default null) returns void language sql as $$
  with stale as materialized (
    select organization_id, id, registered_user_id from calls_in_flight
    where case when in_organization is null
      then started_at < app_now() - interval '10 minutes'
        and organization_id not in (select id from unserved_organizations where state <> 'suspended')
      else organization_id = in_organization end
  ), owners as materialized (
    select organization_id, id from registered_users
    where (organization_id, id) in (select organization_id, registered_user_id from stale)
    order by organization_id, id for key share skip locked
  ), ended as (
    delete from calls_in_flight c using stale s
    where c.organization_id = s.organization_id and c.id = s.id
      and ((s.organization_id, s.registered_user_id) in (select organization_id, id from owners) or not exists (
        select from registered_users u where u.organization_id = s.organization_id and u.id = s.registered_user_id))
    returning c.*
  ), record as (
    insert into tool_calls (organization_id, id, registered_user_id, tool_pack_id, mode, connector_slug, tool, credential_id,
      account_label, outcome, carried_out, counted_as, request_id, started_at, retention_days, trace_id)
    select organization_id, id, registered_user_id, tool_pack_id, mode, connector_slug, tool, credential_id, account_label,
      'unknown', true, counted_as, request_id, started_at, retention_days, trace_id from ended
    where (organization_id, registered_user_id) in (select organization_id, id from owners)
  ), released_days as (
    update pack_days d set taken = d.taken - e.many
    from (select organization_id, tool_pack_id, pack_day, count(*) as many from ended group by 1, 2, 3) e
    where d.organization_id = e.organization_id and d.tool_pack_id = e.tool_pack_id and d.day = e.pack_day
  )
  -- The main statement runs before the other updates, so allowances are locked before days, as by calls.
  update plan_allowances s set taken = s.taken - e.many
  from (select organization_id, cycle, slot, count(*) as many from ended group by 1, 2, 3) e
  where s.organization_id = e.organization_id and s.cycle = e.cycle and s.slot = e.slot
$$;

-- Changes the usage of an organization that contains the calls before `in_since` to contain those before `in_until`.
create function adjust_usage(in_organization uuid, in_since timestamptz, in_until timestamptz) returns void language plpgsql as $$
declare
  sign constant integer := case when in_since < in_until then 1 else -1 end;
begin
  with changed as materialized (
    select organization_id, mode, (started_at at time zone 'UTC')::date as day, registered_user_id, connector_slug, tool, outcome,
      sign * count(*) as calls, sign * count(*) filter (where counted) as counted
    from tool_calls where organization_id = in_organization
      and started_at >= least(in_since, in_until) and started_at < greatest(in_since, in_until)
    group by 1, 2, 3, 4, 5, 6, 7
  ), totals as (
    insert into usage_totals as t
    select organization_id, mode, day, connector_slug, tool, outcome, sum(calls), sum(counted) from changed group by 1, 2, 3, 4, 5, 6
    on conflict (organization_id, mode, day, connector_slug, tool, outcome)
      do update set calls = t.calls + excluded.calls, counted = t.counted + excluded.counted
  )
  insert into usage_days as u select * from changed
  on conflict (organization_id, mode, day, connector_slug, tool, outcome, registered_user_id)
    do update set calls = u.calls + excluded.calls, counted = u.counted + excluded.counted;
  delete from usage_totals where organization_id = in_organization and calls = 0;
  delete from usage_days where organization_id = in_organization and calls = 0;
end $$;

-- Changes the state of an organization that has one of the states `in_from`; otherwise returns false. While an organization is not active,
-- `sum_usage` skips it. When it becomes active, its usage is brought up to date. Calls that another installation admitted will not be
-- settled here.
create function set_organization_state(in_organization uuid, in_from text[], in_to text) returns boolean language plpgsql as $$
declare
  summed timestamptz;
  before organizations%rowtype;
begin
  -- The lock prevents `sum_usage` from running meanwhile.
  select until into summed from usage_progress for share;
  select * into before from organizations where id = in_organization and state = any(in_from) for no key update;
  if not found then return false; end if;
  if in_to = 'active' and before.state = 'arriving' then
    perform mark_calls_unknown(in_organization);
    perform resume_events(in_organization);
  end if;
  if in_to = 'active' and before.usage_until is not null then
    perform adjust_usage(in_organization, before.usage_until, summed);
  end if;
  update organizations set state = in_to, usage_until = case when in_to <> 'active' then coalesce(before.usage_until, summed) end
    where id = in_organization;
  return true;
end $$;

-- Deletes the records of a deleted user. The usage remains, without the user.
create function delete_calls_of_user() returns trigger language plpgsql as $$
declare
  summed timestamptz;
begin
  -- If the organization is being deleted, its calls and its usage were deleted before its users.
  if exists (select from organizations where id = old.organization_id and state = 'deleting') then return old; end if;
  -- Calls in flight will not be settled, so their reservations are released.
  with ended as (
    delete from calls_in_flight where organization_id = old.organization_id and registered_user_id = old.id
    returning cycle, slot, tool_pack_id, pack_day
  ), released_days as (
    update pack_days d set taken = d.taken - e.calls
    from (select tool_pack_id, pack_day, count(*) as calls from ended group by tool_pack_id, pack_day) e
    where d.organization_id = old.organization_id and d.tool_pack_id = e.tool_pack_id and d.day = e.pack_day
  )
  update plan_allowances s set taken = s.taken - e.calls
  from (select cycle, slot, count(*) as calls from ended group by cycle, slot) e
  where s.organization_id = old.organization_id and s.cycle = e.cycle and s.slot = e.slot;
  -- If the organization is being deleted, so is its usage.
  if exists (select from organizations where id = old.organization_id) then
    -- The lock prevents `sum_usage` from running meanwhile, so that each record is counted once.
    select until into summed from usage_progress for share;
    insert into usage_totals as t
    select organization_id, mode, (started_at at time zone 'UTC')::date, connector_slug, tool, outcome, count(*), count(*) filter (where counted)
    from tool_calls where registered_user_id = old.id and organization_id = old.organization_id and started_at >= summed
    group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6
    on conflict (organization_id, mode, day, connector_slug, tool, outcome)
      do update set calls = t.calls + excluded.calls, counted = t.counted + excluded.counted;
    insert into usage_days as u
    select organization_id, mode, day, '00000000-0000-0000-0000-000000000000', connector_slug, tool, outcome, sum(calls), sum(counted)
    from (
      select organization_id, mode, day, connector_slug, tool, outcome, calls, counted from usage_days
      where registered_user_id = old.id and organization_id = old.organization_id
      union all
      select organization_id, mode, (started_at at time zone 'UTC')::date, connector_slug, tool, outcome, 1, counted::integer
      from tool_calls where registered_user_id = old.id and organization_id = old.organization_id and started_at >= summed
    ) s
    group by organization_id, mode, day, connector_slug, tool, outcome
    -- Two deletions at once lock the same rows in the same order.
    order by organization_id, mode, day, connector_slug, tool, outcome
    on conflict (organization_id, mode, day, connector_slug, tool, outcome, registered_user_id)
      do update set calls = u.calls + excluded.calls, counted = u.counted + excluded.counted;
    delete from usage_days where registered_user_id = old.id and organization_id = old.organization_id;
  end if;
  delete from tool_calls where registered_user_id = old.id and organization_id = old.organization_id;
  return old;
end $$;
create trigger registered_users_delete_calls before delete on registered_users
  for each row execute function delete_calls_of_user();
