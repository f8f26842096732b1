-- What a record holds -----------------------------------------------------------------------------------------------------------

-- Whether arguments and results are kept. Of nobody's, until an organization says so.
alter table organizations add column capture text not null default 'off' check (capture in ('on', 'off'));

drop view admission_organizations;
create view admission_organizations as
  select id, plan, link_binding, runtime_callback_url, coalesce(call_limit, plan_calls(plan)) as call_limit, cycle_day,
    plan_days(plan) as kept_days, plan_limits_rates(plan) as limits_rates, capture = 'on' as captures
  from organizations;

alter table tool_calls
  add column trace_id text,
  add column gateway_ms real,
  add column rules_ms real,
  add column arguments_bytes integer,
  add column result_bytes integer,
  add column headers jsonb,
  -- What rules found in it, by entity, and never the values.
  add column matches jsonb,
  -- Arguments and result after redaction, sealed under the user's data key.
  add column payload bytea;
-- Nothing is won by compressing what is sealed.
alter table tool_calls alter column payload set storage external;

-- Pages, newest first. Each filter that leads a page has its index; the rest is looked for within one of these. What most calls do not
-- have costs them nothing: most succeed, and many come without a trace. Of two that seem to cost the same PostgreSQL takes the newer, so
-- that the one that would always do comes first.
drop index tool_calls_by_user;
create index tool_calls_by_time on tool_calls (organization_id, mode, started_at, id);
create index tool_calls_by_connector on tool_calls (organization_id, mode, connector_slug, started_at, id);
create index tool_calls_by_outcome on tool_calls (organization_id, mode, outcome, started_at, id) where outcome <> 'success';
create index tool_calls_by_user on tool_calls (registered_user_id, started_at, id);
create index tool_calls_by_trace on tool_calls (organization_id, trace_id, started_at, id) where trace_id is not null;
create index tool_calls_by_request on tool_calls (request_id, started_at, id);

-- Keys of users that a rotation replaced. Records are many and stay as they are: what they were sealed under is kept instead, sealed under
-- the user's key of now, and goes with the user.
create table earlier_user_keys (
  organization_id uuid not null,
  registered_user_id uuid not null,
  key_id bytea not null,
  sealed bytea not null,
  replaced_at timestamptz not null default app_now(),
  primary key (organization_id, registered_user_id, key_id),
  foreign key (organization_id, registered_user_id) references registered_users on delete cascade
);
create index earlier_user_keys_by_time on earlier_user_keys (replaced_at);

-- Usage -------------------------------------------------------------------------------------------------------------------------

-- Records in sums, for as long as the organization is there. Without a user: of users who were deleted since.
create table usage_days (
  organization_id uuid not null references organizations on delete cascade,
  mode text not null,
  day date not null,
  registered_user_id uuid,
  connector_slug text not null,
  tool text not null,
  outcome text not null,
  calls bigint not null,
  counted bigint not null,
  unique nulls not distinct (organization_id, mode, day, connector_slug, tool, outcome, registered_user_id)
);
-- The same without users: most ask for it so, and there are as many rows as tools and not as calls.
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
create index usage_days_by_user on usage_days (registered_user_id) where registered_user_id is not null;

-- The sums hold every record from before this moment, and none from after it.
create table usage_summed (
  until timestamptz not null,
  only_one boolean primary key default true check (only_one)
);
insert into usage_summed values ('-infinity');

-- A call becomes a record when it ends, with the time at which it began: up to the oldest that is under way everything is there. Those
-- whose admission is not yet committed are seconds old.
create function sum_usage() returns void language plpgsql as $$
declare
  since timestamptz;
  upto timestamptz;
begin
  select until into since from usage_summed for update;
  upto := least(app_now() - interval '5 minutes', (select min(started_at) from calls_under_way));
  if upto <= since then return; end if;
  with fresh as materialized (
  select o.id as organization_id, m.mode, s.* from organizations o cross join (values ('production'), ('test')) m(mode)
  cross join lateral (
    select (started_at at time zone 'UTC')::date as day, registered_user_id, connector_slug, tool, outcome, count(*) as calls,
      count(*) filter (where counted) as counted
    from tool_calls c where c.organization_id = o.id and c.mode = m.mode and c.started_at >= since and c.started_at < upto
    group by 1, 2, 3, 4, 5
  ) s), totals as (
    insert into usage_totals as t
    select organization_id, mode, day, connector_slug, tool, outcome, sum(calls), sum(counted) from fresh group by 1, 2, 3, 4, 5, 6
    on conflict (organization_id, mode, day, connector_slug, tool, outcome)
      do update set calls = t.calls + excluded.calls, counted = t.counted + excluded.counted
  )
  insert into usage_days as u select * from fresh
  on conflict (organization_id, mode, day, connector_slug, tool, outcome, registered_user_id)
    do update set calls = u.calls + excluded.calls, counted = u.counted + excluded.counted;
  update usage_summed set until = upto;
end $$;

-- Records go with their user; what was used stays, and is nobody's.
create or replace function forget_calls() returns trigger language plpgsql as $$
declare
  summed timestamptz;
begin
  -- What is under way gives its place back: nobody will be there to settle it.
  update plan_allowances s set taken = s.taken - c.many
  from (select cycle, slot, count(*) as many from calls_under_way
    where organization_id = old.organization_id and registered_user_id = old.id group by cycle, slot) c
  where s.organization_id = old.organization_id and s.cycle = c.cycle and s.slot = c.slot;
  -- Gone where the organization itself is deleted.
  if exists (select from organizations where id = old.organization_id) then
    -- Nothing is summed meanwhile: each record is in the sums or among the records, and not in both.
    select until into summed from usage_summed for share;
    insert into usage_totals as t
    select organization_id, mode, (started_at at time zone 'UTC')::date, connector_slug, tool, outcome, count(*), count(*) filter (where counted)
    from tool_calls where registered_user_id = old.id and organization_id = old.organization_id and started_at >= summed
    group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6
    on conflict (organization_id, mode, day, connector_slug, tool, outcome)
      do update set calls = t.calls + excluded.calls, counted = t.counted + excluded.counted;
    insert into usage_days as u
    select organization_id, mode, day, null, connector_slug, tool, outcome, sum(calls), sum(counted) from (
      select organization_id, mode, day, connector_slug, tool, outcome, calls, counted from usage_days
      where registered_user_id = old.id and organization_id = old.organization_id
      union all
      select organization_id, mode, (started_at at time zone 'UTC')::date, connector_slug, tool, outcome, 1, counted::integer
      from tool_calls where registered_user_id = old.id and organization_id = old.organization_id and started_at >= summed
    ) s
    group by organization_id, mode, day, connector_slug, tool, outcome
    -- Two users who are deleted at once add to the same rows, in the same order.
    order by organization_id, mode, day, connector_slug, tool, outcome
    on conflict (organization_id, mode, day, connector_slug, tool, outcome, registered_user_id)
      do update set calls = u.calls + excluded.calls, counted = u.counted + excluded.counted;
    delete from usage_days where registered_user_id = old.id and organization_id = old.organization_id;
  end if;
  delete from tool_calls where registered_user_id = old.id and organization_id = old.organization_id;
  return old;
end $$;
