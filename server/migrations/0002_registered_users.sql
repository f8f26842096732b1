create table registered_users (
  organization_id uuid not null references organizations on delete cascade,
  id uuid not null,
  mode text not null check (mode in ('production', 'test')),
  -- The accounts of the organization itself belong to a user that lists do not show. It has no ID of the application.
  kind text not null default 'user' check (kind in ('user', 'organization')),
  origin_user_id text not null,
  origin_user_name text,
  email text,
  is_active boolean not null default true,
  metadata jsonb not null default '{}',
  rate_limit_per_minute integer,
  -- The user's data key, wrapped by the organization's. Deleting the row makes everything encrypted with it unreadable.
  data_key bytea not null,
  event_sequence bigint not null default 0,
  -- Sessions and codes from before this time have ended. Deactivation sets it.
  sessions_ended_at timestamptz not null default '-infinity',
  created_at timestamptz not null default app_now(),
  primary key (organization_id, id),
  unique (organization_id, mode, origin_user_id),
  check ((kind = 'organization') = (origin_user_id = ''))
);
create index registered_users_by_mode on registered_users (organization_id, mode, id);
-- For the search by the beginning of a field. Collation "C" orders by bytes, so that a prefix is a range. The mode comes first, so that lookups of a
-- user by its key never use these indexes: without statistics, PostgreSQL prefers the newest of several indexes.
create index registered_users_by_origin on registered_users (mode, organization_id, (lower(origin_user_id) collate "C"));
create index registered_users_by_name on registered_users (mode, organization_id, (lower(origin_user_name) collate "C")) where origin_user_name is not null;
create index registered_users_by_email on registered_users (mode, organization_id, (lower(email) collate "C")) where email is not null;

-- Data keys that a rotation replaced, encrypted with the user's current key. Records are not encrypted again, because there are many.
create table previous_user_keys (
  organization_id uuid not null,
  registered_user_id uuid not null,
  key_id bytea not null,
  sealed bytea not null,
  replaced_at timestamptz not null default app_now(),
  primary key (organization_id, registered_user_id, key_id),
  foreign key (organization_id, registered_user_id) references registered_users on delete cascade
);
create index previous_user_keys_by_time on previous_user_keys (replaced_at);

-- Events --------------------------------------------------------------------------------------------------------------

-- Changes of users, links, credentials and settings. Calls have no rows here: `tool_calls` and `rule_violations` are the source of their
-- events. Without a foreign key to the organization, because checking it would lock that row for every event.
create table events (
  organization_id uuid not null,
  id uuid not null default uuid_v7(),
  -- Null: the event concerns both modes.
  mode text check (mode in ('production', 'test')),
  registered_user_id uuid,
  -- Per user, without gaps, in the order of commits.
  sequence bigint,
  type text not null,
  payload jsonb not null,
  created_at timestamptz not null default app_now(),
  -- The transaction that has written the event. Readers take transactions in order up to the oldest that is still open, so that none is
  -- skipped. 0: from another database, and not to be sent again.
  committed_in xid8 not null default pg_current_xact_id(),
  primary key (organization_id, id)
);
create index events_by_user on events (organization_id, registered_user_id, sequence);
create index events_by_time on events (organization_id, created_at, id);
create index events_by_type on events (organization_id, type, created_at, id);
create index events_by_commit on events (organization_id, committed_in);

-- Must be called in the transaction of the change that the event reports. The event of a user has the mode of the user.
create function record_event(in_organization uuid, in_user uuid, in_type text, in_payload jsonb, in_mode text default null) returns void
language plpgsql as $$
declare
  next_sequence bigint;
begin
  if in_user is not null then
    update registered_users set event_sequence = event_sequence + 1
      where organization_id = in_organization and id = in_user
      returning event_sequence, mode into next_sequence, in_mode;
  end if;
  insert into events (organization_id, mode, registered_user_id, sequence, type, payload)
    values (in_organization, in_mode, in_user, next_sequence, in_type, in_payload);
end $$;
