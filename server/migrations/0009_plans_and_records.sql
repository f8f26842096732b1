-- Plans: how many successes of production a cycle holds, and for how many days records are kept. Null: as many as there are -----------

create function plan_calls(plan text) returns integer language sql immutable as
  $$ select case plan when 'free' then 1000 when 'starter' then 10000 when 'business' then 100000 end $$;
create function plan_days(plan text) returns integer language sql immutable as
  $$ select case plan when 'business' then 365 when 'enterprise' then 730 else 90 end $$;
create function plan_limits_rates(plan text) returns boolean language sql immutable as
  $$ select plan in ('business', 'enterprise') $$;

-- A cycle begins on this day of the month, UTC; in a shorter month on its last.
alter table organizations add column cycle_day smallint not null
  default extract(day from app_now() at time zone 'UTC') check (cycle_day between 1 and 31);
update organizations set cycle_day = extract(day from created_at at time zone 'UTC');
-- The operator's own number in the place of the plan's.
alter table organizations add column call_limit integer check (call_limit >= 0);

create function cycle_of(cycle_day integer, at timestamptz) returns date language sql immutable as $$
  select max(begins) from (
    select (month + (least(cycle_day, extract(day from month + interval '1 month - 1 day')::integer) - 1) * interval '1 day')::date as begins
    from (select date_trunc('month', at at time zone 'UTC') - back * interval '1 month' as month from generate_series(0, 1) back) months
  ) candidates where begins <= (at at time zone 'UTC')::date
$$;

-- A cycle's calls are shared out among a few slots, and each node takes from one: no call waits for another node's. What is granted never
-- adds up to more than the limit, so neither does what is taken.
create table plan_allowances (
  organization_id uuid not null references organizations on delete cascade,
  cycle date not null,
  slot smallint not null,
  granted integer not null,
  taken integer not null check (taken >= 0),
  -- On the first slot: whether the organization was told that nothing is left.
  told boolean not null default false,
  primary key (organization_id, cycle, slot)
) with (fillfactor = 50);

-- Calls -------------------------------------------------------------------------------------------------------------------------

-- Between admission and settlement. What a process leaves here when it dies may have happened or not.
create table calls_under_way (
  organization_id uuid not null,
  id uuid not null,
  registered_user_id uuid not null,
  tool_pack_id uuid not null,
  mode text not null,
  connector_slug text not null,
  tool text not null,
  request_id text not null,
  started_at timestamptz not null default app_now(),
  kept_days smallint not null,
  -- Where it holds a place until it is known whether it counts. Without a limit it needs none.
  cycle date,
  slot smallint,
  primary key (organization_id, id),
  foreign key (organization_id, registered_user_id) references registered_users on delete cascade
);
create index calls_under_way_by_user on calls_under_way (registered_user_id);
create index calls_under_way_by_start on calls_under_way (started_at);

-- What became of them, written once. In a part for each time that a plan keeps records and each stretch of it, so that what nobody may
-- see any longer is dropped and not deleted.
alter table tool_calls rename to tool_calls_before;
alter index tool_calls_pkey rename to tool_calls_before_pkey;
alter index tool_calls_by_user rename to tool_calls_before_by_user;
drop index tool_calls_reserved;

create table tool_calls (
  organization_id uuid not null,
  id uuid not null,
  registered_user_id uuid not null,
  tool_pack_id uuid not null,
  mode text not null,
  connector_slug text not null,
  tool text not null,
  outcome text not null check (outcome in ('success', 'replayed', 'error', 'needs_auth', 'blocked', 'limited', 'unknown')),
  error_code text,
  counted boolean not null default false,
  request_id text not null,
  started_at timestamptz not null default app_now(),
  finished_at timestamptz not null default app_now(),
  third_party_ms integer,
  kept_days smallint not null,
  primary key (organization_id, id, kept_days, started_at)
) partition by list (kept_days);
create index tool_calls_by_user on tool_calls (registered_user_id, started_at);

create table tool_calls_90 partition of tool_calls for values in (90) partition by range (started_at);
create table tool_calls_365 partition of tool_calls for values in (365) partition by range (started_at);
create table tool_calls_730 partition of tool_calls for values in (730) partition by range (started_at);
-- For what comes where no part was made ahead: nothing is refused for that.
create table tool_calls_90_rest partition of tool_calls_90 default;
create table tool_calls_365_rest partition of tool_calls_365 default;
create table tool_calls_730_rest partition of tool_calls_730 default;

-- Weeks where records are kept for 90 days, months where they are kept for longer.
create function record_stretch(kept_days integer) returns text language sql immutable as
  $$ select case when kept_days = 90 then 'week' else 'month' end $$;

-- Makes the parts of now and of the next two stretches, and of as many before. One whose records are in the rest already stays there.
create function make_record_parts(before integer default 0) returns void language plpgsql as $$
declare
  days integer;
  stretch text;
  begins timestamp;
  ends timestamp;
  part text;
  strays boolean;
begin
  foreach days in array array[90, 365, 730] loop
    stretch := record_stretch(days);
    for ahead in -before..2 loop
      begins := date_trunc(stretch, app_now() at time zone 'UTC') + ahead * ('1 ' || stretch)::interval;
      ends := begins + ('1 ' || stretch)::interval;
      part := format('tool_calls_%s_%s', days, to_char(begins, 'YYYYMMDD'));
      continue when to_regclass(part) is not null;
      execute format('select exists (select from tool_calls_%s_rest where started_at >= %L and started_at < %L)',
        days, begins at time zone 'UTC', ends at time zone 'UTC') into strays;
      continue when strays;
      execute format('create table %I partition of tool_calls_%s for values from (%L) to (%L)',
        part, days, begins at time zone 'UTC', ends at time zone 'UTC');
    end loop;
  end loop;
end $$;

-- Drops the parts in which nothing may be seen any longer, and says their names.
create function drop_record_parts() returns setof text language plpgsql as $$
declare
  part record;
  ends timestamp;
begin
  for part in
    select c.relname as name, substring(c.relname from '^tool_calls_(\d+)_')::integer as days,
      to_date(substring(c.relname from '_(\d{8})$'), 'YYYYMMDD') as begins
    from pg_class c where c.relkind = 'r' and c.relname ~ '^tool_calls_\d+_\d{8}$'
  loop
    ends := part.begins + ('1 ' || record_stretch(part.days))::interval;
    continue when ends at time zone 'UTC' > app_now() - part.days * interval '1 day';
    execute format('drop table %I', part.name);
    return next part.name;
  end loop;
  delete from tool_calls_90_rest where started_at <= app_now() - interval '90 days';
  delete from tool_calls_365_rest where started_at <= app_now() - interval '365 days';
  delete from tool_calls_730_rest where started_at <= app_now() - interval '730 days';
end $$;

select make_record_parts();

insert into tool_calls (organization_id, id, registered_user_id, tool_pack_id, mode, connector_slug, tool, outcome, error_code, counted,
  request_id, started_at, finished_at, third_party_ms, kept_days)
select t.organization_id, t.id, t.registered_user_id, t.tool_pack_id, t.mode, t.connector_slug, t.tool,
  case t.outcome when 'reserved' then 'unknown' else t.outcome end, t.error_code, t.counted, t.request_id, t.started_at,
  coalesce(t.finished_at, app_now()), t.third_party_ms, plan_days(o.plan)
from tool_calls_before t join organizations o on o.id = t.organization_id;
drop table tool_calls_before;

-- Records go with their user. A foreign key would ask for the user at every record; whoever settles a call holds the user's row anyway.
-- What is under way gives its place back first: nobody will be there to settle it.
create function forget_calls() returns trigger language plpgsql as $$
begin
  update plan_allowances s set taken = s.taken - c.many
  from (select cycle, slot, count(*) as many from calls_under_way
    where organization_id = old.organization_id and registered_user_id = old.id group by cycle, slot) c
  where s.organization_id = old.organization_id and s.cycle = c.cycle and s.slot = c.slot;
  delete from tool_calls where registered_user_id = old.id and organization_id = old.organization_id;
  return old;
end $$;
create trigger registered_users_forget_calls before delete on registered_users
  for each row execute function forget_calls();

-- Limits ------------------------------------------------------------------------------------------------------------------------

-- A user's calls a minute: when the next would be free of the last. One timestamp says as much as a bucket of tokens.
create table rate_buckets (
  organization_id uuid not null,
  registered_user_id uuid not null,
  free_at timestamptz not null,
  primary key (organization_id, registered_user_id),
  foreign key (organization_id, registered_user_id) references registered_users on delete cascade
) with (fillfactor = 50);

-- Shares out anew what the cycle has left, and everything that is left of it to the first slot that asks.
create function share_allowance(in_organization uuid, in_cycle date, in_limit integer, in_slot smallint) returns boolean
language plpgsql as $$
declare
  slots constant integer := 8;
  free integer;
begin
  if not exists (select from plan_allowances where organization_id = in_organization and cycle = in_cycle) then
    -- What the cycle had before there was a limit counts, and so may what is under way.
    insert into plan_allowances (organization_id, cycle, slot, granted, taken)
    select in_organization, in_cycle, n, 0, case when n > 0 then 0 else
      (select count(*) from tool_calls where organization_id = in_organization and counted
        and started_at >= in_cycle::timestamp at time zone 'UTC')
      + (select count(*) from calls_under_way where organization_id = in_organization and mode = 'production' and cycle is null) end
    from generate_series(0, slots - 1) n
    on conflict do nothing;
  end if;
  perform from plan_allowances where organization_id = in_organization and cycle = in_cycle order by slot for no key update;
  select in_limit - sum(taken) into free from plan_allowances where organization_id = in_organization and cycle = in_cycle;
  update plan_allowances set granted = taken + case when free <= 0 then 0 when slot = in_slot then free - (slots - 1) * (free / slots)
    else free / slots end
  where organization_id = in_organization and cycle = in_cycle;
  return free > 0;
end $$;

-- For a call whose slot had nothing left. False: neither had the others, and the organization is told so once a cycle.
create function take_place(in_organization uuid, in_call uuid, in_slot smallint) returns boolean language plpgsql as $$
declare
  at_cycle date;
  at_limit integer;
begin
  select coalesce(call_limit, plan_calls(plan)), cycle_of(cycle_day, app_now()) into at_limit, at_cycle
    from organizations where id = in_organization;
  if at_limit is null then return true; end if;
  if share_allowance(in_organization, at_cycle, at_limit, in_slot) then
    update calls_under_way set cycle = at_cycle, slot = in_slot where organization_id = in_organization and id = in_call;
    if found then
      update plan_allowances set taken = taken + 1 where organization_id = in_organization and cycle = at_cycle and slot = in_slot;
    end if;
    return true;
  end if;
  update plan_allowances set told = true where organization_id = in_organization and cycle = at_cycle and slot = 0 and not told;
  if found then
    perform record_event(in_organization, null, 'usage.limit_reached', jsonb_build_object('cycle', at_cycle, 'limit', at_limit));
  end if;
  return false;
end $$;

-- Another limit holds from the next call on.
create function share_allowance_anew() returns trigger language plpgsql as $$
declare
  at_limit integer := coalesce(new.call_limit, plan_calls(new.plan));
  at_cycle date := cycle_of(new.cycle_day, app_now());
begin
  if at_limit is not null then
    -- Nobody took from it meanwhile.
    if coalesce(old.call_limit, plan_calls(old.plan)) is null then
      delete from plan_allowances where organization_id = new.id and cycle = at_cycle;
    end if;
    update plan_allowances set told = false where organization_id = new.id and cycle = at_cycle and slot = 0;
    perform share_allowance(new.id, at_cycle, at_limit, 0::smallint);
  end if;
  return null;
end $$;
create trigger organizations_share_allowance_anew after update of plan, call_limit on organizations
  for each row when (old.plan is distinct from new.plan or old.call_limit is distinct from new.call_limit)
  execute function share_allowance_anew();

drop view admission_organizations;
create view admission_organizations as
  select id, plan, link_binding, runtime_callback_url, coalesce(call_limit, plan_calls(plan)) as call_limit, cycle_day,
    plan_days(plan) as kept_days, plan_limits_rates(plan) as limits_rates
  from organizations;
