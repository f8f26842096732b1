-- breaking: an organization has several keys, and an earlier binary would take any of them.

-- The newest generation seals; older ones open what was sealed under them, until nothing is.
alter table organization_keys drop constraint organization_keys_pkey;
alter table organization_keys
  add column generation integer not null default 1,
  add column created_at timestamptz not null default app_now(),
  add primary key (organization_id, generation);
alter table organization_keys alter column generation drop default;

-- The header of a ciphertext names the key that it is under.
create function sealing_key(in_sealed bytea) returns bytea language sql immutable parallel safe as $$
  select substring(in_sealed from 2 for 16)
$$;

-- What an organization's key seals for good: a rotation seals it anew. The purpose is the first name of its context.
create view organization_secrets as
  select organization_id, 'oauth-app' as purpose, id, sealed_secret as sealed from oauth_apps where sealed_secret is not null
  union all
  select organization_id, 'mcp-connector', id, sealed_secret from mcp_connectors where sealed_secret is not null;

-- False where another secret has been given meanwhile: that one is left alone.
create function reseal_organization_secret(in_organization uuid, in_purpose text, in_id uuid, in_old bytea, in_new bytea)
returns boolean language plpgsql as $$
begin
  if in_purpose = 'oauth-app' then
    update oauth_apps set sealed_secret = in_new
      where organization_id = in_organization and id = in_id and sealed_secret = in_old;
  elsif in_purpose = 'mcp-connector' then
    update mcp_connectors set sealed_secret = in_new
      where organization_id = in_organization and id = in_id and sealed_secret = in_old;
  else
    raise exception 'no secret of an organization is called %', in_purpose;
  end if;
  return found;
end $$;

-- Everything that needs an organization's key to be opened, by the key that it needs.
create view sealed_under_organization as
  select organization_id, sealing_key(data_key) as key_id from registered_users
  union all
  select organization_id, sealing_key(sealed) from organization_secrets
  union all
  select organization_id, sealing_key(sealed) from revocations where outcome is null and sealed_under = 'organization'
  union all
  select organization_id, sealing_key(sealed_response) from idempotency_keys
    where sealed_response is not null and expires_at > app_now()
  union all
  select a.organization_id, sealing_key(a.sealed_verifier)
    from link_attempts a join link_sessions s on s.organization_id = a.organization_id and s.id = a.session_id
    where a.sealed_verifier is not null and s.expires_at > app_now();

-- One at a time. It is moved on by the transactions that do the work, so that a killed run is gone on with where it was.
create table key_rotations (
  id integer generated always as identity primary key,
  -- What everything is wrapped under when it is over.
  vault_key_id bytea not null,
  users_total bigint not null,
  users_done bigint not null default 0,
  secrets_done bigint not null default 0,
  -- The organization whose users are at their turn, and the last of them that had it.
  organization_id uuid,
  user_id uuid,
  started_at timestamptz not null default app_now(),
  finished_at timestamptz
);
create unique index key_rotations_one_at_a_time on key_rotations ((true)) where finished_at is null;
