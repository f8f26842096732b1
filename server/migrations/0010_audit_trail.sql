-- One hash chain per organization. The chain of the service itself (rotations of the vault key, deletions of organizations) has the nil UUID.
-- Without a foreign key, because checking it would lock the organization's row for every entry.
create table audit_entries (
  organization_id uuid not null,
  -- From 1, without gaps.
  sequence bigint not null,
  at timestamptz not null,
  action text not null,
  outcome text not null check (outcome in ('done', 'unknown', 'denied')),
  target_type text not null,
  target_id text,
  registered_user_id uuid,
  actor_type text not null check (actor_type in ('api_key', 'person', 'operator', 'user', 'system')),
  actor_id text not null,
  actor_hint text,
  address text,
  user_agent text,
  request_id text not null,
  -- json, not jsonb: the hash covers the text as it was written.
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

-- Prevents accidents. The hash chain and its seal protect against the owner of the table. Only the deletion of the whole organization may
-- delete its entries.
create function reject_audit_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('carabiner.fence_bypass', true) = old.organization_id::text
    and not exists (select from organizations where id = old.organization_id and state <> 'deleting') then return old; end if;
  raise exception 'the audit trail is append-only' using errcode = 'insufficient_privilege';
end $$;
create trigger audit_entries_append_only before update or delete on audit_entries
  for each row execute function reject_audit_change();
create trigger audit_entries_not_truncated before truncate on audit_entries
  for each statement execute function reject_audit_change();

-- The end of each chain. Appending locks this row, so that two nodes never extend the same entry.
create table audit_heads (
  organization_id uuid primary key,
  sequence bigint not null default 0,
  hash bytea not null default decode(repeat('00', 32), 'hex'),
  -- By the vault's signing key, which the database does not have. Stored only here, so that earlier seals cannot be reused.
  seal bytea not null default '',
  -- The first entry that was appended to an end with an invalid seal. Never cleared, and covered by later seals.
  broken_at bigint,
  -- Entries up to this one were imported from an installation that the operator does not know. Never cleared, and covered by the seal.
  unverified_until bigint,
  at timestamptz not null default '-infinity'
) with (fillfactor = 50);

-- Changes in progress. The row is deleted when the entry is written; otherwise it is unknown how the change ended.
create table audit_intents (
  organization_id uuid not null,
  id uuid not null,
  started_at timestamptz not null default app_now(),
  change json not null,
  primary key (organization_id, id)
);
create index audit_intents_by_age on audit_intents (started_at);

-- All chains. Each organization has one from its creation on, so a missing chain was deleted.
create view audit_chains as
  select coalesce(h.organization_id, o.id) as organization_id, coalesce(h.sequence, 0) as sequence, h.hash, h.seal, h.broken_at, h.unverified_until,
    h.organization_id is null as is_missing
  from audit_heads h full join organizations o on o.id = h.organization_id;
