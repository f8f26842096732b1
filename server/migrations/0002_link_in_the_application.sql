-- What completing a session granted, for whoever waits for the outcome; and when its person last asked for a new link.
alter table link_sessions add column scopes text[], add column renewal_requested_at timestamptz;

-- How the attempt was begun (in a frame, on the hosted page, from a magic link; language and theme), to end it the same way.
alter table link_attempts add column view text not null default '';

-- Steps on the way that leave no other trace. The rest of a session's timeline stands in its own row and its attempts.
create table link_steps (
  organization_id uuid not null,
  id bigint generated always as identity,
  session_id uuid not null,
  step text not null check (step in ('opened_by_scanner', 'opened_by_person', 'chosen', 'cancelled', 'renewal_requested')),
  connector_slug text,
  at timestamptz not null default app_now(),
  primary key (organization_id, id),
  foreign key (organization_id, session_id) references link_sessions on delete cascade
);
create index link_steps_by_session on link_steps (organization_id, session_id, at);

-- The answer to "why did it not work for her?", in order of time.
create view link_timelines as
  select organization_id, id as session_id, 'minted' as step, locked_connector as connector_slug, null as reason, minted_at as at, 0 as rank
    from link_sessions
  union all
  select organization_id, session_id, step, connector_slug, null, at, 1 from link_steps
  union all
  select organization_id, session_id, case when oauth_app is null then 'key_submitted' else 'left' end, connector_slug, null, started_at, 2
    from link_attempts
  union all
  select a.organization_id, a.session_id,
      case a.outcome when 'exited' then 'denied' when 'failed' then 'failed'
        else case when s.state is null then 'completed' else 'code_issued' end end,
      a.connector_slug, a.reason, a.returned_at, 3
    from link_attempts a join link_sessions s on s.organization_id = a.organization_id and s.id = a.session_id
    where a.outcome is not null;
