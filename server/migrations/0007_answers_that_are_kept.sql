-- A call that carries a key of its caller's is made once: who asks again gets the same answer, for a day -----------------

create table tool_call_answers (
  organization_id uuid not null,
  registered_user_id uuid not null,
  key_hash bytea not null,
  -- Which tool with which arguments, keyed by what is not stored.
  fingerprint bytea not null,
  -- The call that holds the key: only it may leave an answer, or give the key back.
  call_id uuid not null,
  -- Null while that call runs. Sealed under the user's data key.
  sealed bytea,
  expires_at timestamptz not null,
  primary key (organization_id, registered_user_id, key_hash),
  foreign key (organization_id, registered_user_id) references registered_users on delete cascade
);
create index tool_call_answers_by_expiry on tool_call_answers (expires_at);

-- A result that was too large for the model, where its Tool Pack opted in: for an hour, to be read on ---------------------

create table kept_results (
  organization_id uuid not null,
  id uuid not null,
  registered_user_id uuid not null,
  tool_pack_id uuid not null,
  sealed bytea not null,
  expires_at timestamptz not null,
  primary key (organization_id, id),
  foreign key (organization_id, registered_user_id) references registered_users on delete cascade
);
create index kept_results_by_user on kept_results (organization_id, registered_user_id);
create index kept_results_by_expiry on kept_results (expires_at);

-- An answer that is told again is recorded as that, and not counted again.
alter table tool_calls drop constraint tool_calls_outcome_check;
alter table tool_calls add constraint tool_calls_outcome_check
  check (outcome in ('reserved', 'success', 'replayed', 'error', 'needs_auth', 'blocked', 'limited', 'unknown'));
