-- Customization -------------------------------------------------------------------------------------------------------

-- Only what the organization has set; the code has the defaults.
create table link_customizations (
  organization_id uuid primary key references organizations on delete cascade,
  settings jsonb not null default '{}',
  -- Settings that only the preview shows.
  draft jsonb,
  -- Null: only a draft was saved.
  updated_at timestamptz
);

-- Encoded again from the pixels of the upload. `hash`: the first 16 bytes of the SHA-256 of `png`.
create table link_logos (
  organization_id uuid not null references link_customizations on delete cascade,
  theme text not null check (theme in ('light', 'dark')),
  hash bytea not null check (length(hash) = 16),
  png bytea not null,
  width integer not null,
  height integer not null,
  primary key (organization_id, theme)
);

-- Sessions ------------------------------------------------------------------------------------------------------------

create table link_sessions (
  organization_id uuid not null,
  id uuid not null,
  registered_user_id uuid not null,
  mode text not null,
  tool_pack_id uuid not null,
  locked_connector text,
  callback_url text,
  callback_origin text,
  state text,
  -- Scopes that are requested in addition to those that the user has granted. Null: those of the Tool Pack's tools. `requested`: by the request
  -- for the session. `called`: a tool that was called needs them. `lacking`: the account was linked without them.
  more_scopes text[],
  scopes_reason text check (scopes_reason in ('requested', 'called', 'lacking')),
  -- The credential to reconnect or to replace.
  credential_id uuid,
  -- Whether a user who links another account is asked to replace one or to add it. The request for the session may have decided that.
  account_choice text not null default 'ask' check (account_choice in ('ask', 'add', 'replace')),
  -- The label of a new account.
  account_label text,
  -- The link token and the magic link contain the same secret.
  secret_hash bytea not null,
  minted_at timestamptz not null default app_now(),
  expires_at timestamptz not null,
  opened_at timestamptz,
  renewal_requested_at timestamptz,
  key_checks integer not null default 0,
  -- `code_issued`: the code can be confirmed as long as its secret is in `pending_secrets`.
  status text not null default 'minted'
    check (status in ('minted', 'code_issued', 'completed', 'code_rejected', 'code_expired', 'code_ended')),
  completed_at timestamptz,
  -- The outcome of a completed session.
  connector_slug text,
  account text,
  scopes text[],
  code_hash bytea,
  code_expires_at timestamptz,
  -- The session whose completion page started this one.
  successor_of uuid,
  primary key (organization_id, id),
  foreign key (organization_id, registered_user_id) references registered_users on delete cascade,
  check ((status = 'minted') = (completed_at is null)),
  check (state is null or callback_url is not null),
  check ((more_scopes is null) = (scopes_reason is null))
);
create index link_sessions_by_secret on link_sessions (secret_hash, organization_id);
create index link_sessions_by_code on link_sessions (code_hash, organization_id) where code_hash is not null;
-- For retention. BRIN, because it costs almost nothing when a session is minted.
create index link_sessions_by_age on link_sessions using brin (expires_at);
create index link_sessions_by_user on link_sessions (organization_id, registered_user_id);
create unique index link_sessions_successor on link_sessions (organization_id, successor_of) where successor_of is not null;

-- Attempts to authorize. A session may have several; at most one completes it.
create table link_attempts (
  organization_id uuid not null,
  id uuid not null,
  session_id uuid not null,
  connector_slug text not null,
  oauth_app text,
  -- Part of the redirect URI that the attempt uses.
  redirect_context text,
  state_hash bytea,
  browser_hash bytea not null,
  -- The embedded page that started the attempt. It has no cookie, and only it is shown the outcome.
  frame_hash bytea,
  -- What the return of the browser needs, such as the PKCE verifier, and after it the sites to choose from.
  sealed_state bytea,
  awaits_site boolean not null default false,
  -- The user is asked to replace an account or to add this one. `server_id`: the MCP server that the grant is for.
  awaits_account boolean not null default false,
  server_id uuid,
  -- How the attempt was started (embedded, hosted or magic link, language, theme), so that it ends in the same way.
  view text not null default '',
  started_at timestamptz not null default app_now(),
  returned_at timestamptz,
  outcome text check (outcome in ('completed', 'exited', 'failed')),
  reason text,
  primary key (organization_id, id),
  foreign key (organization_id, session_id) references link_sessions on delete cascade
);
create index link_attempts_by_state on link_attempts (state_hash, organization_id) where state_hash is not null;
create index link_attempts_by_session on link_attempts (organization_id, session_id, started_at);

-- Steps of a session that neither the session nor its attempts contain.
create table link_steps (
  organization_id uuid not null,
  id uuid not null default uuid_v7(),
  session_id uuid not null,
  step text not null check (step in ('opened_by_scanner', 'opened_by_person', 'chosen', 'cancelled', 'renewal_requested')),
  connector_slug text,
  at timestamptz not null default app_now(),
  primary key (organization_id, id),
  foreign key (organization_id, session_id) references link_sessions on delete cascade
);
create index link_steps_by_session on link_steps (organization_id, session_id, at);

-- All steps of a session. `rank` orders steps of the same time. Leaving a choice is the step `cancelled`, not a denial.
create view link_timelines as
  select organization_id, id as session_id, 'minted' as step, locked_connector as connector_slug, null as reason, minted_at as at, 0 as rank
    from link_sessions
  union all
  select organization_id, session_id, step, connector_slug, null, at, 1 from link_steps
  union all
  select organization_id, session_id, case when oauth_app is null then 'key_submitted' else 'left' end, connector_slug, null, started_at, 2
    from link_attempts
  union all
  select organization_id, session_id, 'choosing_site', connector_slug, null, returned_at, 3 from link_attempts where awaits_site
  union all
  select organization_id, session_id, 'choosing_account', connector_slug, null, returned_at, 3 from link_attempts where awaits_account
  union all
  select a.organization_id, a.session_id,
      case a.outcome when 'exited' then 'denied' when 'failed' then 'failed'
        else case when s.state is null then 'completed' else 'code_issued' end end,
      a.connector_slug, a.reason, case when (a.awaits_site or a.awaits_account) and a.outcome = 'completed' then s.completed_at else a.returned_at end, 3
    from link_attempts a join link_sessions s on s.organization_id = a.organization_id and s.id = a.session_id
    where a.outcome is not null and not (a.outcome = 'exited' and (a.awaits_site or a.awaits_account));

-- My connections ------------------------------------------------------------------------------------------------------

-- Links to a page on which a user manages their own connections.
create table connections_links (
  organization_id uuid not null,
  id uuid not null,
  registered_user_id uuid not null,
  secret_hash bytea not null,
  minted_at timestamptz not null default app_now(),
  expires_at timestamptz not null,
  -- The browser that used the link first. No other browser can use it.
  browser_hash bytea,
  key_checks integer not null default 0,
  primary key (organization_id, id),
  foreign key (organization_id, registered_user_id) references registered_users on delete cascade
);
create index connections_links_by_secret on connections_links (secret_hash, organization_id);
create index connections_links_by_user on connections_links (organization_id, registered_user_id);
create index connections_links_by_age on connections_links using brin (expires_at);
