import { one, type Queryable } from '../../../platform/database/database.ts'
import { bigint, boolean, double, ensured, integer, uuid } from '../../../platform/database/sql-types.ts'
import { statement } from '../../../platform/database/statement.ts'
import type { CredentialVersion } from '../credential-store.ts'
import { idleCredentialColumns } from '../credential-store.ts'
import { CHECK_INTERVAL_MS, checkIntervals } from './refusal-verdict.ts'

const versionParameters = { organizationId: uuid, credentialId: uuid, version: integer }
const CURRENT = `organization_id = :organizationId and id = :credentialId and version = :version and status = 'active'`

const intervalParameters = { firstSeconds: double, maxSeconds: double, beforeBackoff: integer }
const CHECK_IS_DUE = `(refusal_checked_at is null or refusal_checked_at <= app_now() - make_interval(secs =>
  least(:firstSeconds::float8 * power(2, least(greatest(refusals - :beforeBackoff::integer, 0), 20)), :maxSeconds::float8)))`

// A refused credential whose token is new is not refreshed again: the token is not the cause.
const mayRefresh = statement({
  name: 'credential_refusals.may_refresh',
  parameters: { ...versionParameters, seconds: double },
  columns: { mayRefresh: ensured(boolean) },
  sql: `select coalesce(version <> :version or refused_since is null or refreshed_at <= app_now() - make_interval(secs => :seconds), true)
     as may_refresh
   from credentials where organization_id = :organizationId and id = :credentialId`,
})
const claimCheck = statement({
  name: 'credential_refusals.claim_check',
  parameters: { ...versionParameters, ...intervalParameters },
  columns: { id: uuid },
  sql: `update credentials set refusal_checked_at = app_now() where ${CURRENT} and ${CHECK_IS_DUE} returning id`,
})
const record = statement({
  name: 'credential_refusals.record',
  parameters: versionParameters,
  columns: { refusedForMs: ensured(double), wasRefreshed: ensured(boolean) },
  sql: `update credentials set refused_since = coalesce(refused_since, app_now()), refusals = refusals + 1 where ${CURRENT}
   returning extract(epoch from app_now() - refused_since)::float8 * 1000 as refused_for_ms,
     coalesce(refreshed_at > refused_since, false) as was_refreshed`,
})
const forget = statement({
  name: 'credential_refusals.forget',
  parameters: { organizationId: uuid, credentialId: uuid },
  sql: `update credentials set refused_since = null, refusals = 0
   where organization_id = :organizationId and id = :credentialId and refused_since is not null`,
})
const RECENT = `app_now() - interval '15 minutes'`
// A refusal of more than a week is not part of an outage. An API key is compared with the organization's other keys of the connector.
const compare = statement({
  name: 'credential_refusals.compare',
  parameters: { organizationId: uuid, credentialId: uuid, acrossOrganizations: boolean },
  columns: {
    hadSuccess: ensured(boolean),
    accepted: ensured(bigint),
    refused: ensured(bigint),
  },
  sql: `with held as (
     select organization_id, id, connector_slug, oauth_app, refused_since from credentials
     where organization_id = :organizationId and id = :credentialId
   ), considered as (
     select :organizationId::uuid as organization_id
     union
     select c.organization_id from held h join credentials c on c.oauth_app = h.oauth_app and c.connector_slug = h.connector_slug
     where :acrossOrganizations::boolean and c.status = 'active'
   )
   select exists (
       select from accepted_calls a where a.organization_id = h.organization_id and a.mode in ('production', 'test')
         and a.connector_slug = h.connector_slug and a.started_at > h.refused_since and a.credential_id = h.id) as had_success,
     (select count(distinct a.credential_id) from considered o
       join accepted_calls a on a.organization_id = o.organization_id and a.mode in ('production', 'test')
         and a.connector_slug = h.connector_slug and a.started_at > ${RECENT}
       join credentials c on c.organization_id = a.organization_id and c.id = a.credential_id
         and c.oauth_app is not distinct from h.oauth_app and c.id <> h.id) as accepted,
     (select count(*) from considered o
       join credentials c on c.organization_id = o.organization_id and c.connector_slug = h.connector_slug
         and c.refused_since > app_now() - interval '7 days' and c.status = 'active'
         and c.oauth_app is not distinct from h.oauth_app and c.id <> h.id) as refused
   from held h`,
})
const takeDue = statement({
  name: 'credential_refusals.take_due',
  parameters: { limit: bigint, ...intervalParameters },
  columns: idleCredentialColumns,
  sql: `with taken as (
     update credentials set refusal_checked_at = app_now()
     where (organization_id, id) in (
       select organization_id, id from credentials
       where refused_since is not null and status = 'active' and ${CHECK_IS_DUE}
         and organization_id not in (select id from unserved_organizations)
       order by refusal_checked_at limit :limit for update skip locked)
     returning organization_id, id, connector_slug)
   select t.organization_id, c.registered_user_id, t.connector_slug, c.id, c.label, c.status, c.status_reason, c.secret_id, c.sealed,
     u.data_key as user_key, c.version, c.scopes, c.oauth_app, c.access_expires_at, c.refresh_due, c.paused_until
   from taken t join admission_credentials c on c.organization_id = t.organization_id and c.id = t.id
   join admission_users u on u.organization_id = c.organization_id and u.id = c.registered_user_id`,
})

const keyOf = ({ organizationId, credentialId }: CredentialVersion) => ({ organizationId, credentialId })

/** What is known about a credential that its provider refuses. */
export const refusalStore = {
  mayRefresh: async (db: Queryable, version: CredentialVersion) =>
    (await one(db, mayRefresh, { ...version, seconds: CHECK_INTERVAL_MS / 1000 }))?.mayRefresh === true,
  /** False if the identity request was made a short time ago, by whichever process. */
  claimCheck: async (db: Queryable, version: CredentialVersion) =>
    (await one(db, claimCheck, { ...version, ...checkIntervals })) !== null,
  /** Returns null if the credential has changed meanwhile. */
  record: (db: Queryable, version: CredentialVersion) => one(db, record, version),
  /** After a success. */
  forget: (db: Queryable, version: CredentialVersion) => db.query(forget, keyOf(version)),
  compare: (db: Queryable, version: CredentialVersion, acrossOrganizations: boolean) =>
    one(db, compare, { ...keyOf(version), acrossOrganizations }),
  takeDue: (db: Queryable, limit: number) => db.query(takeDue, { limit, ...checkIntervals }),
}
