-- The audit trail: who changed what, from where, in one chain for each organization. The chain of the service itself (keys rotated)
-- has the id 00000000-0000-0000-0000-000000000000. No foreign key: a trail outlives what it tells of, also its organization.
create table audit_entries (
  organization_id uuid not null,
  -- from 1, without gaps
  sequence bigint not null,
  at timestamptz not null,
  action text not null,
  outcome text not null check (outcome in ('done', 'unknown', 'denied')),
  target_type text not null,
  target_id text,
  registered_user_id uuid,
  actor_type text not null check (actor_type in ('api_key', 'operator', 'system')),
  actor_id text not null,
  actor_hint text,
  address text,
  user_agent text,
  request_id text not null,
  -- json and not jsonb: what is hashed comes back in the order in which it was written.
  changes json not null,
  previous bytea not null check (length(previous) = 32),
  hash bytea not null check (length(hash) = 32),
  primary key (organization_id, sequence)
);
create index audit_entries_by_target on audit_entries (organization_id, target_id, sequence);
create index audit_entries_by_action on audit_entries (organization_id, action, sequence);
create index audit_entries_by_actor on audit_entries (organization_id, actor_id, sequence);
create index audit_entries_by_time on audit_entries (organization_id, at, sequence);
create index audit_entries_by_user on audit_entries (organization_id, registered_user_id, sequence)
  where registered_user_id is not null;

-- Against accidents, not against whoever owns the table: that is what the chain and its seal are for.
create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'the audit trail is only ever added to' using errcode = 'insufficient_privilege';
end $$;
create trigger audit_entries_append_only before update or delete or truncate on audit_entries
  for each statement execute function refuse_audit_change();

-- Where each chain ends. Whoever appends holds this row, so that two nodes never go on from the same entry.
create table audit_heads (
  organization_id uuid primary key,
  sequence bigint not null default 0,
  hash bytea not null default decode(repeat('00', 32), 'hex'),
  -- Under the vault's signing key: the database alone cannot make one. Kept here and nowhere else, so that no earlier one is at hand.
  seal bytea not null default '',
  -- The first entry appended to an end that this service had not sealed. Never cleared; the seal then covers it, under another key.
  broken_at bigint,
  at timestamptz not null default '-infinity'
) with (fillfactor = 50);

-- A change that has begun. It goes when its entry is written; one that is left over says that nobody knows how the change ended.
create table audit_intents (
  id uuid primary key,
  organization_id uuid not null,
  begun_at timestamptz not null default app_now(),
  change json not null
);
create index audit_intents_by_age on audit_intents (begun_at);

-- Every chain there is, and every one there should be: an organization younger than the trail begins with an entry of its own.
create view audit_chains as
  select coalesce(h.organization_id, o.id) as organization_id, coalesce(h.sequence, 0) as sequence, h.hash, h.seal, h.broken_at,
    h.organization_id is null and o.created_at > (select applied_at from schema_migrations where version = 11) as is_missing
  from audit_heads h full join organizations o on o.id = h.organization_id;
