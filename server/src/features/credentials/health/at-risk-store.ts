import type { Mode } from '../../../core/mode.ts'
import { one, type Queryable } from '../../../platform/database/database.ts'
import {
  array,
  arraysOf,
  bigint,
  double,
  nullable,
  text,
  toArrays,
  uuid,
} from '../../../platform/database/sql-types.ts'
import { statement } from '../../../platform/database/statement.ts'
import type { HealthReader } from '../risks/health-reader.ts'
import { CANDIDATE, type Candidate, candidateColumns } from './at-risk-search-store.ts'

const limitColumns = {
  slug: text,
  method: text,
  ageDays: nullable(double),
  idleDays: nullable(double),
  testModeDays: nullable(double),
}
const searchParameters = {
  ...arraysOf(limitColumns),
  testModeApps: array(text),
  warningDays: double,
  limit: bigint,
}
/** Leaves out most credentials that are not at risk. `credential-health.ts` decides about the others. */
const MAY_BE_AT_RISK = `c.status = 'active' and (
  c.refused_since is not null or c.refresh_failing_since is not null or c.lost_scopes <> '{}'
  or c.ends_at <= app_now() + interval '1 day' * :warningDays::float8
  or exists (
    select from unnest(:slug::text[], :method::text[], :ageDays::float8[], :idleDays::float8[], :testModeDays::float8[])
      as l(slug, method, age_days, idle_days, test_mode_days)
    where l.slug = c.connector_slug and l.method = c.method and (
      c.linked_at <= app_now() - interval '1 day' * l.age_days
      or greatest(c.linked_at, c.refreshed_at) <= app_now() - interval '1 day' * l.idle_days
      or (c.linked_at <= app_now() - interval '1 day' * l.test_mode_days and (c.oauth_app = any(:testModeApps::text[])
        or exists (select from oauth_apps_in_test_mode x where x.organization_id = c.organization_id and x.oauth_app = c.oauth_app))))))`

const selectOfOrganization = statement({
  name: 'credentials_at_risk.of_organization',
  parameters: { ...searchParameters, organizationId: uuid, mode: text, afterId: uuid },
  columns: { ...candidateColumns, originUserId: text },
  sql: `select ${CANDIDATE}, u.origin_user_id from credentials c
   join registered_users u on u.organization_id = c.organization_id and u.id = c.registered_user_id
   where c.organization_id = :organizationId and u.mode = :mode and u.is_active and c.id > :afterId and ${MAY_BE_AT_RISK}
   order by c.id limit :limit`,
})
/** Earlier announcements that are kept. A credential has few risks, and their occurrences are days apart. */
const KEPT_ANNOUNCEMENTS = 20
// Single use: of concurrent callers, one finds that the risk was not announced.
const announce = statement({
  name: 'credentials_at_risk.announce',
  parameters: { organizationId: uuid, credentialId: uuid, riskId: text },
  columns: { label: text },
  sql: `update credentials set announced_risks = (array[:riskId::text] || announced_risks)[1:${KEPT_ANNOUNCEMENTS}]
   where organization_id = :organizationId and id = :credentialId and status = 'active' and not :riskId = any(announced_risks)
   returning label`,
})
// The records of calls are read by connector, so only for the connectors whose files limit keys.
const noteUses = statement({
  name: 'credentials_at_risk.note_uses',
  parameters: { slugs: array(text) },
  sql: `update credentials c set used_at = u.used_at from (
     select h.organization_id, a.credential_id, max(a.started_at) as used_at
     from (select distinct organization_id, connector_slug from credentials
       where connector_slug = any(:slugs) and status = 'active' and organization_id not in (select id from unserved_organizations)) h
     join accepted_calls a on a.organization_id = h.organization_id and a.mode in ('production', 'test')
       and a.connector_slug = h.connector_slug and a.started_at > app_now() - interval '2 days'
     group by h.organization_id, a.credential_id) u
   where c.organization_id = u.organization_id and c.id = u.credential_id and c.status = 'active'
     and (c.used_at is null or c.used_at < u.used_at - interval '1 day')`,
})

const searchOf = ({ limitedMethods, testModeApps, warningDays }: HealthReader) => ({
  ...toArrays(limitColumns, limitedMethods),
  testModeApps,
  warningDays,
})

export const atRiskStore = {
  ofOrganization: (
    db: Queryable,
    health: HealthReader,
    { organizationId, mode }: { organizationId: string; mode: Mode },
    { after, limit }: { after: string; limit: number },
  ) => db.query(selectOfOrganization, { ...searchOf(health), organizationId, mode, afterId: after, limit }),
  /** Null: it was announced before, or the credential has ended. */
  announce: (
    tx: Queryable,
    { organizationId, id }: Pick<Candidate, 'organizationId' | 'id'>,
    riskId: string,
  ) => one(tx, announce, { organizationId, credentialId: id, riskId }),
  noteUses: (db: Queryable, slugs: string[]) => db.query(noteUses, { slugs }),
}
