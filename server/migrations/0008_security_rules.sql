create table security_rules (
  organization_id uuid not null references organizations on delete cascade,
  -- The nil UUID is the organization itself, so that both are found by the whole key.
  tool_pack_id uuid not null default '00000000-0000-0000-0000-000000000000',
  settings jsonb not null,
  -- Identifies the settings, so that compiled rules can be cached.
  content_hash text not null generated always as (md5(settings::text)) stored,
  updated_at timestamptz not null default app_now(),
  overridden_pack uuid generated always as (nullif(tool_pack_id, '00000000-0000-0000-0000-000000000000')) stored,
  primary key (organization_id, tool_pack_id),
  foreign key (organization_id, overridden_pack) references tool_packs on delete cascade
);

-- Without the matched value and its context.
create table rule_violations (
  organization_id uuid not null,
  id uuid not null,
  registered_user_id uuid not null,
  mode text not null,
  tool_call_id uuid not null,
  -- Empty: a tool of the service itself.
  connector_slug text not null,
  tool text not null,
  at timestamptz not null default app_now(),
  direction text not null check (direction in ('inbound', 'outbound')),
  entity text not null,
  rule text not null,
  action text not null check (action in ('block', 'redact', 'log')),
  count integer not null,
  score double precision not null,
  dry_run boolean not null,
  -- As in `events`.
  committed_in xid8 not null default pg_current_xact_id(),
  primary key (organization_id, id),
  foreign key (organization_id, registered_user_id) references registered_users on delete cascade
);
create index rule_violations_by_mode on rule_violations (organization_id, mode, id);
create index rule_violations_by_entity on rule_violations (organization_id, mode, entity, id);
create index rule_violations_by_user on rule_violations (organization_id, registered_user_id, id);
create index rule_violations_by_time on rule_violations (at);
create index rule_violations_by_event_time on rule_violations (organization_id, mode, at, id);
create index rule_violations_by_commit on rule_violations (organization_id, committed_in);

-- Must be called in the transaction that settles the call.
create function record_violations(in_organization uuid, in_user uuid, in_call uuid, in_connector text, in_tool text, in_violations jsonb) returns void
language sql as $$
  insert into rule_violations
    (organization_id, id, registered_user_id, mode, tool_call_id, connector_slug, tool, direction, entity, rule, action, count, score, dry_run)
  select in_organization, v.id, in_user, u.mode, in_call, in_connector, in_tool, v.direction, v.entity, v.rule, v.action, v.count, v.score, v.dry_run
  from jsonb_to_recordset(in_violations) as v
    (id uuid, direction text, entity text, rule text, action text, count integer, score double precision, dry_run boolean)
  join registered_users u on u.organization_id = in_organization and u.id = in_user;
$$;
