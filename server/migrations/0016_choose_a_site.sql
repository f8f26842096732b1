-- The state of an attempt is more than the PKCE verifier: after the provider's answer it may be the list of sites to choose from.
alter table link_attempts rename column sealed_verifier to sealed_state;
alter table link_attempts add column awaits_site boolean not null default false;

-- A secret in waiting_secrets waits for a code, or for the person to choose a site. Only the end of a code ends its session.
create or replace function end_waiting_secret(in_secret waiting_secrets, in_status text, in_reason text) returns void
language plpgsql as $$
declare
  is_code boolean := exists (
    select from link_sessions where organization_id = in_secret.organization_id and id = in_secret.session_id
      and code_hash = in_secret.code_hash);
begin
  insert into revocations
    (organization_id, registered_user_id, connector_slug, oauth_app, account, account_id, secret_id, sealed, sealed_under, reason,
     give_up_at)
  values
    (in_secret.organization_id, in_secret.registered_user_id, in_secret.connector_slug, in_secret.oauth_app, in_secret.account,
     in_secret.account_id, in_secret.secret_id, in_secret.sealed, 'user',
     case when in_reason = 'code_expired' and not is_code then 'site_not_chosen' else in_reason end, app_now() + interval '1 day');
  update link_sessions set status = in_status
    where is_code and organization_id = in_secret.organization_id and id = in_secret.session_id and status = 'code_issued';
end $$;

-- `choosing_site`: the provider sent the browser back, and the page asks for the site. Leaving that page is `cancelled`, which is a
-- step of its own, and not a denial at the provider.
create or replace view link_timelines as
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
  select a.organization_id, a.session_id,
      case a.outcome when 'exited' then 'denied' when 'failed' then 'failed'
        else case when s.state is null then 'completed' else 'code_issued' end end,
      a.connector_slug, a.reason, case when a.awaits_site and a.outcome = 'completed' then s.completed_at else a.returned_at end, 3
    from link_attempts a join link_sessions s on s.organization_id = a.organization_id and s.id = a.session_id
    where a.outcome is not null and not (a.outcome = 'exited' and a.awaits_site);
