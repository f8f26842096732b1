-- What applies to calls that no rule matches. Without a row: allow.
create table policies (
  organization_id uuid not null references organizations on delete cascade,
  -- As in `security_rules`.
  tool_pack_id uuid not null default '00000000-0000-0000-0000-000000000000',
  default_effect text not null check (default_effect in ('deny', 'ask', 'allow')),
  -- Whether a user who decides is identified, or anyone with the link decides. Only the organization’s policy says so.
  approval_binding text not null default 'identified' check (approval_binding in ('identified', 'link')),
  updated_at timestamptz not null default app_now(),
  pack uuid generated always as (nullif(tool_pack_id, '00000000-0000-0000-0000-000000000000')) stored,
  primary key (organization_id, tool_pack_id),
  foreign key (organization_id, pack) references tool_packs on delete cascade
);

create table policy_rules (
  organization_id uuid not null references organizations on delete cascade,
  id uuid not null,
  tool_pack_id uuid not null default '00000000-0000-0000-0000-000000000000',
  name text not null,
  -- Null: the hook decides.
  effect text check (effect in ('deny', 'ask', 'allow')),
  hook_url text,
  -- What applies if the endpoint does not answer with a decision.
  hook_on_error text check (hook_on_error in ('deny', 'ask')),
  -- Signs the requests to the endpoint. Sealed under the key of the organization.
  sealed_hook_secret bytea,
  -- The secret before the last rotation, which signs as well until then.
  sealed_previous_hook_secret bytea,
  previous_hook_secret_until timestamptz,
  -- `gmail__send_email`, `gmail__*` or `*`.
  tools text[] not null check (cardinality(tools) > 0),
  -- A CEL expression. Null: every call of the tools matches.
  condition text,
  -- Who can approve a call that the rule asks about.
  approvers text[] not null default '{members}' check (cardinality(approvers) > 0 and approvers <@ '{user,account_owner,members}'),
  -- Whether a member approves with a passkey.
  step_up boolean not null default false check (not step_up or approvers = '{members}'),
  -- Whether a member with the email address of the user cannot approve.
  prevent_self_approval boolean not null default false check (not prevent_self_approval or approvers = '{members}'),
  reason text,
  made_by text not null check (made_by in ('person', 'policy_key', 'key')),
  created_at timestamptz not null default app_now(),
  updated_at timestamptz not null default app_now(),
  pack uuid generated always as (nullif(tool_pack_id, '00000000-0000-0000-0000-000000000000')) stored,
  primary key (organization_id, id),
  foreign key (organization_id, pack) references tool_packs on delete cascade,
  check ((effect is null) = (hook_url is not null)),
  check (num_nulls(hook_url, hook_on_error, sealed_hook_secret) in (0, 3)),
  check ((sealed_previous_hook_secret is null) = (previous_hook_secret_until is null)),
  check (hook_url is not null or sealed_previous_hook_secret is null)
);
create unique index policy_rules_by_name on policy_rules (organization_id, tool_pack_id, name);

-- Identifies everything that a policy decides with, so that compiled rules can be cached. Hooks are read for each call. Empty: every call is allowed.
create function policy_hash(in_organization uuid, in_pack uuid) returns text language sql stable as $$
  select case when rules is not null or default_effect <> 'allow' then md5(default_effect || coalesce(rules, '')) else '' end
  from (
    select coalesce((select default_effect from policies where organization_id = in_organization and tool_pack_id = in_pack), 'allow')
        as default_effect,
      (select string_agg(jsonb_build_array(id, name, effect, tools, condition, approvers, step_up, prevent_self_approval, reason, made_by)::text, ',' order by id)
        from policy_rules where organization_id = in_organization and tool_pack_id = in_pack) as rules) policy
$$;

-- The admission of a call reads the hashes with the organization and the Tool Pack, which costs no further lookup.
create function update_policy_hash() returns trigger language plpgsql as $$
declare
  changed record := coalesce(new, old);
begin
  if changed.pack is null then
    -- Concurrent changes of one policy wait here, and the last one sees them all.
    perform from organizations where id = changed.organization_id for no key update;
    update organizations set policy_hash = policy_hash(id, changed.tool_pack_id) where id = changed.organization_id;
  else
    perform from tool_packs where organization_id = changed.organization_id and id = changed.pack for no key update;
    update tool_packs set policy_hash = policy_hash(organization_id, id)
      where organization_id = changed.organization_id and id = changed.pack;
  end if;
  return null;
end $$;
create trigger policies_changed after insert or update or delete on policies
  for each row execute function update_policy_hash();
create trigger policy_rules_changed after insert or update or delete on policy_rules
  for each row execute function update_policy_hash();

-- The user's calls of some tools within a period: those that were carried out, or may have been, and those that are reserved. `in_counts`: an
-- array of objects with `seconds` and `tools`. Returns their numbers in the same order.
create function count_calls(in_organization uuid, in_user uuid, in_counts jsonb) returns integer[] language plpgsql stable as $$
begin
  return (select array_agg((
    select coalesce(sum(calls), 0) from (
      select connector_slug, tool, counted_as, count(*) as calls from (
        select connector_slug, tool, counted_as from tool_calls
        where organization_id = in_organization and registered_user_id = in_user and carried_out
          and started_at > app_now() - make_interval(secs => c.seconds)
        union all
        select connector_slug, tool, counted_as from calls_in_flight
        where organization_id = in_organization and registered_user_id = in_user and counted_as is not null
          and started_at > app_now() - make_interval(secs => c.seconds)) recent
      group by 1, 2, 3) same
    where coalesce(counted_as, jsonb_build_array(connector_slug || '__' || tool)) ?| c.tools)::integer order by position)
  from rows from (jsonb_to_recordset(in_counts) as (seconds integer, tools text[])) with ordinality as c (seconds, tools, position));
end $$;

-- Counts the user's other calls, and reserves the call, so that later ones count it. Calls of a user do this one after the other: each statement
-- of this function sees the reservations before it. Null: the call is not in flight.
create function reserve_counted_call(in_organization uuid, in_user uuid, in_call uuid, in_counted_as jsonb, in_counts jsonb) returns integer[]
language plpgsql as $$
declare
  counted integer[];
begin
  perform pg_advisory_xact_lock(hashtextextended('counted_calls:' || in_user::text, 0));
  select coalesce(count_calls(in_organization, in_user, in_counts), '{}') into counted;
  update calls_in_flight set counted_as = in_counted_as where organization_id = in_organization and id = in_call;
  return case when found then counted end;
end $$;

-- Approvals -----------------------------------------------------------------------------------------------------------

-- Calls that a person must approve. Each transition is one conditional update.
create table approvals (
  organization_id uuid not null,
  id uuid not null,
  registered_user_id uuid not null,
  mode text not null check (mode in ('production', 'test')),
  tool_pack_id uuid not null,
  connector_slug text not null,
  tool text not null,
  credential_id uuid,
  -- Of the account when the call was made for the first time.
  link_generation integer,
  account_label text,
  -- A hash of the definition of a tool of an MCP server.
  tool_hash text,
  is_destructive boolean not null,
  -- A hash of the definition of a tool of a connector file.
  file_tool_hash text,
  -- The key or the registered client.
  caller_type text not null check (caller_type in ('api_key', 'mcp_key', 'client')),
  caller_id text not null,
  -- The rules that ask: name, reason, who can approve (`members`, or the ID of a user), and whether with a passkey.
  rules jsonb not null,
  status text not null default 'pending'
    check (status in ('pending', 'confirming', 'approved', 'executing', 'done', 'failed', 'unknown', 'denied', 'expired', 'withdrawn', 'void')),
  -- A keyed hash of the call, by which its repeats are found.
  call_hash bytea not null,
  -- Of the ID, a random nonce and the digest of the call.
  digest bytea not null,
  -- The call and the nonce, sealed under the key of the user. Deleted a day after the end.
  sealed bytea,
  requested_at timestamptz not null default app_now(),
  -- A task waits for it, which needs no connection: it may stay open for longer.
  for_task boolean not null default false,
  -- Of the decision while it is pending, of the call once it is approved.
  expires_at timestamptz not null,
  decided_at timestamptz,
  decision_reason text,
  ended_at timestamptz,
  -- Why the approval is void, also of one that has to end as void.
  void_reason text,
  tool_call_id uuid,
  -- When members were told by email that it waits.
  notified_at timestamptz,
  -- The remembered approval that has let the call run. Null: people have decided about this call.
  grant_id uuid,
  primary key (organization_id, id),
  foreign key (organization_id, registered_user_id) references registered_users on delete cascade,
  check ((status in ('pending', 'confirming', 'approved', 'executing')) = (ended_at is null)),
  check (status <> 'void' or void_reason is not null),
  check ((status in ('executing', 'done', 'failed', 'unknown')) = (tool_call_id is not null))
);
-- The same call is asked about once at a time.
create unique index approvals_open on approvals (organization_id, registered_user_id, call_hash) where ended_at is null;
create index approvals_by_call on approvals (organization_id, registered_user_id, call_hash, ended_at);
create index approvals_by_caller on approvals (organization_id, caller_id, requested_at);
create index approvals_by_expiry on approvals (expires_at) where ended_at is null;
create index approvals_by_end on approvals (ended_at) where ended_at is not null;

-- What each of those who can approve has decided.
create table approval_decisions (
  organization_id uuid not null,
  approval_id uuid not null,
  -- `members`, or the ID of a user.
  decider text not null,
  decision text not null check (decision in ('approve', 'deny')),
  -- The member. Null: the user.
  person_id uuid,
  decided_at timestamptz not null default app_now(),
  -- Whether the user was not identified, but had opened the link.
  by_link boolean not null default false,
  -- What the installation has signed about the approval of a member with a passkey.
  receipt jsonb,
  primary key (organization_id, approval_id, decider),
  foreign key (organization_id, approval_id) references approvals on delete cascade,
  check ((decider = 'members') = (person_id is not null)),
  check (receipt is null or decider = 'members'),
  check (not by_link or decider <> 'members')
);

create index approval_decisions_by_decider on approval_decisions (organization_id, decider, decided_at);

-- Browsers in which a user looks at an approval and decides.
create table approval_visits (
  organization_id uuid not null,
  id uuid not null,
  approval_id uuid not null,
  -- Null until the user has signed in.
  registered_user_id uuid,
  -- Whether nobody has identified the user: the browser has opened the link.
  by_link boolean not null default false,
  -- The browser. Null until the link of the application is opened.
  browser_hash bytea,
  -- Of the link, until it is opened.
  token_hash bytea unique,
  -- The key that has made the link, and where the browser returns. Null: the user signs in.
  key_id uuid,
  return_url text,
  -- Positions of the folded values that the user has opened.
  opened int[] not null default '{}',
  -- What the user wants to be remembered once the decision is confirmed.
  remember text check (remember in ('hour', 'day', 'month')),
  remember_texts boolean not null default false,
  -- Of the code that confirms the decision.
  code_hash bytea unique,
  created_at timestamptz not null default app_now(),
  expires_at timestamptz not null,
  primary key (organization_id, id),
  foreign key (organization_id, approval_id) references approvals on delete cascade,
  foreign key (organization_id, registered_user_id) references registered_users on delete cascade,
  check ((key_id is null) = (return_url is null))
);
create index approval_visits_by_approval on approval_visits (organization_id, approval_id);
create index approval_visits_by_expiry on approval_visits (expires_at);

-- Approvals that a user wants to be remembered: a call with the same arguments runs without asking again.
create table approval_grants (
  organization_id uuid not null,
  id uuid not null,
  -- The user whose calls run.
  registered_user_id uuid not null,
  -- The user who has approved: the same one, or the owner of the account.
  approver_id uuid not null,
  approval_id uuid not null,
  mode text not null check (mode in ('production', 'test')),
  tool_pack_id uuid not null,
  connector_slug text not null,
  tool text not null,
  account_label text,
  caller_type text not null check (caller_type in ('api_key', 'mcp_key', 'client')),
  caller_id text not null,
  -- Whether the arguments that are text may differ.
  frees_texts boolean not null,
  -- A keyed hash of what must be the same, by which calls are found.
  grant_hash bytea not null,
  max_uses int not null check (max_uses > 0),
  uses int not null default 0 check (uses <= max_uses),
  created_at timestamptz not null default app_now(),
  last_used_at timestamptz,
  expires_at timestamptz not null,
  -- Null: it counts until it expires or is used up.
  revoked_at timestamptz,
  primary key (organization_id, id),
  foreign key (organization_id, registered_user_id) references registered_users on delete cascade,
  foreign key (organization_id, approver_id) references registered_users on delete cascade
);
create index approval_grants_by_hash on approval_grants (organization_id, registered_user_id, grant_hash);
create index approval_grants_by_approver on approval_grants (organization_id, approver_id);
create index approval_grants_by_expiry on approval_grants (expires_at);

-- Another identity provider, or none, may identify other people: nothing that was remembered counts any more, and calls that wait for users are
-- asked about again.
create function forget_users_approvals() returns trigger language plpgsql as $$
begin
  update approvals set void_reason = 'sign_in_changed'
    where organization_id = old.organization_id and mode = old.mode and status in ('pending', 'confirming', 'approved')
      and jsonb_path_exists(rules, '$[*].approvers[*] ? (@ != "members")');
  update approval_grants set revoked_at = app_now()
    where organization_id = old.organization_id and mode = old.mode and revoked_at is null;
  return null;
end $$;
create trigger sign_in_settings_changed after update of issuer, client_id, user_claim, trust_email on sign_in_settings
  for each row when ((old.issuer, old.client_id, old.user_claim, old.trust_email)
    is distinct from (new.issuer, new.client_id, new.user_claim, new.trust_email))
  execute function forget_users_approvals();
create trigger sign_in_settings_deleted after delete on sign_in_settings
  for each row execute function forget_users_approvals();

-- Tasks ---------------------------------------------------------------------------------------------------------------

-- Calls that wait without a connection (MCP extension io.modelcontextprotocol/tasks): for an approval, or for their MCP server, which has made a
-- task of them. Each transition is one conditional update.
create table tool_tasks (
  organization_id uuid not null,
  id uuid not null,
  registered_user_id uuid not null,
  tool_pack_id uuid not null,
  -- The key or the registered client. Nobody else sees the task.
  caller_type text not null check (caller_type in ('api_key', 'mcp_key', 'client')),
  caller_id text not null,
  -- Of the key or the access token that the caller has used last. The call is made with it.
  key_hash bytea not null,
  -- Null: the server has accepted the call.
  approval_id uuid,
  status text not null default 'waiting' check (status in ('waiting', 'running', 'completed', 'cancelled')),
  -- The client has answered the request to open the page of the approval. The answer decides nothing.
  is_answered boolean not null default false,
  -- The client has read the result. It may be deleted when the client cancels the task.
  is_fetched boolean not null default false,
  -- The call, and once it is completed its result. Sealed under the key of the user.
  sealed bytea,
  -- A process that takes the task has to take its approval by then. While it waits for the server, it renews the lease.
  lease_until timestamptz,
  created_at timestamptz not null default app_now(),
  updated_at timestamptz not null default app_now(),
  ended_at timestamptz,
  expires_at timestamptz not null,
  primary key (organization_id, id),
  foreign key (organization_id, registered_user_id) references registered_users on delete cascade,
  foreign key (organization_id, approval_id) references approvals on delete cascade,
  foreign key (organization_id, tool_pack_id) references tool_packs on delete cascade,
  check ((status in ('waiting', 'running')) = (ended_at is null)),
  check ((status = 'cancelled') = (sealed is null)),
  check ((status = 'running') = (lease_until is not null)),
  check (approval_id is not null or status <> 'waiting')
);
-- The same call is one task at a time.
create unique index tool_tasks_open on tool_tasks (organization_id, approval_id) where ended_at is null;
create index tool_tasks_by_user on tool_tasks (organization_id, registered_user_id);
create index tool_tasks_by_pack on tool_tasks (organization_id, tool_pack_id);
create index tool_tasks_by_expiry on tool_tasks (expires_at);
