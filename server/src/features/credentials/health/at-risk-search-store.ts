import type { AuthorizationType } from '@carabiner/contract'
import { NIL_UUID } from '../../../core/uuid.ts'
import type { Queryable } from '../../../platform/database/database.ts'
import {
  array,
  bigint,
  double,
  ensured,
  nullable,
  text,
  typed,
  uuid,
  type Values,
} from '../../../platform/database/sql-types.ts'
import { statement } from '../../../platform/database/statement.ts'
import { HEALTH, healthColumns } from '../risks/health-columns-store.ts'
import type { HealthReader, LimitedMethod } from '../risks/health-reader.ts'

export const candidateColumns = {
  ...healthColumns,
  organizationId: uuid,
  registeredUserId: uuid,
  id: uuid,
  connectorSlug: text,
  label: text,
  account: nullable(text),
  status: typed<'active'>(text),
  method: typed<AuthorizationType>(text),
  oauthApp: nullable(text),
  announcedRisks: array(text),
}
export type Candidate = Values<typeof candidateColumns>

export const CANDIDATE = `c.organization_id, c.registered_user_id, c.id, c.connector_slug, c.label, c.account, c.status, c.method, c.oauth_app, c.announced_risks, ${HEALTH}`

// Each search reads one index from one end, and a page continues where the previous one ended. The time is read as text, because a date
// has fewer digits: many credentials of the same millisecond would not let the search continue.
const SERVED = `c.organization_id not in (select id from unserved_organizations)`
const page = { afterOrganization: uuid, afterId: uuid, limit: bigint }
const timedPage = { ...page, afterTime: text }
const found = { ...candidateColumns, time: text }
const KEY = 'c.organization_id, c.id'
const AFTER = '(:afterOrganization, :afterId)'
const TIMED_AFTER = '(:afterTime::text::timestamptz, :afterOrganization, :afterId)'

const selectTroubled = statement({
  name: 'credentials_at_risk.troubled',
  parameters: page,
  columns: found,
  sql: `select ${CANDIDATE}, '' as time from credentials c
   where c.status = 'active' and (c.refused_since is not null or c.refresh_failing_since is not null or c.lost_scopes <> '{}')
     and (${KEY}) > ${AFTER} and ${SERVED}
   order by ${KEY} limit :limit`,
})
const selectEnding = statement({
  name: 'credentials_at_risk.ending',
  parameters: { ...timedPage, warningDays: double },
  columns: found,
  sql: `select ${CANDIDATE}, c.ends_at::text as time from credentials c
   where c.status = 'active' and c.ends_at is not null and c.ends_at <= app_now() + interval '1 day' * :warningDays::float8
     and (c.ends_at, ${KEY}) > ${TIMED_AFTER} and ${SERVED}
   order by c.ends_at, ${KEY} limit :limit`,
})
const ofMethod = { slug: text, method: text, days: double }
const OF_METHOD = `c.status = 'active' and c.connector_slug = :slug and c.method = :method`
const BEFORE = `app_now() - interval '1 day' * :days::float8`
const selectOld = statement({
  name: 'credentials_at_risk.old',
  parameters: { ...timedPage, ...ofMethod },
  columns: found,
  sql: `select ${CANDIDATE}, c.linked_at::text as time from credentials c
   where ${OF_METHOD} and c.linked_at <= ${BEFORE} and (c.linked_at, ${KEY}) > ${TIMED_AFTER} and ${SERVED}
   order by c.linked_at, ${KEY} limit :limit`,
})
// Calls with a key count as uses of it; with refresh tokens, only refreshes do.
const RENEWED = 'greatest(c.linked_at, c.refreshed_at)'
const selectIdle = statement({
  name: 'credentials_at_risk.idle',
  parameters: { ...timedPage, ...ofMethod },
  columns: found,
  sql: `select ${CANDIDATE}, ${RENEWED}::text as time from credentials c
   where ${OF_METHOD} and ${RENEWED} <= ${BEFORE} and (${RENEWED}, ${KEY}) > ${TIMED_AFTER} and ${SERVED}
     and (c.method = 'oauth2' or c.used_at is null or c.used_at <= ${BEFORE})
   order by ${RENEWED}, ${KEY} limit :limit`,
})
const selectOwnTestApps = statement({
  name: 'credentials_at_risk.own_test_apps',
  columns: { oauthApp: ensured(text) },
  sql: `select oauth_app from oauth_apps_in_test_mode where organization_id not in (select id from unserved_organizations)`,
})
// The app of the service has the name of its connector; the search for old credentials finds its grants.
const selectOfOwnApp = statement({
  name: 'credentials_at_risk.of_own_app',
  parameters: { ...timedPage, oauthApp: text, days: double },
  columns: found,
  sql: `select ${CANDIDATE}, c.linked_at::text as time from credentials c
   where c.status = 'active' and c.oauth_app <> c.connector_slug and c.oauth_app = :oauthApp and c.linked_at <= ${BEFORE}
     and (c.linked_at, ${KEY}) > ${TIMED_AFTER} and ${SERVED}
   order by c.linked_at, ${KEY} limit :limit`,
})

type Found = Values<typeof found>
type Position = Pick<Found, 'organizationId' | 'id' | 'time'>
type Search = (db: Queryable, after: Position, limit: number) => Promise<Found[]>

const START: Position = { organizationId: NIL_UUID, id: NIL_UUID, time: '-infinity' }

const pageOf = ({ organizationId, id }: Position, limit: number) => ({
  afterOrganization: organizationId,
  afterId: id,
  limit,
})
const timedPageOf = (after: Position, limit: number) => ({ ...pageOf(after, limit), afterTime: after.time })

const oldSearch =
  (at: { slug: string; method: string }, days: number): Search =>
  (db, after, limit) =>
    db.query(selectOld, { ...timedPageOf(after, limit), ...at, days })
const idleSearch =
  (at: { slug: string; method: string }, days: number): Search =>
  (db, after, limit) =>
    db.query(selectIdle, { ...timedPageOf(after, limit), ...at, days })

const searchesOfMethod = (
  { slug, method, ageDays, idleDays, testModeDays }: LimitedMethod,
  testModeApps: string[],
): Search[] => {
  const at = { slug, method }
  return [
    ...(ageDays === null ? [] : [oldSearch(at, ageDays)]),
    ...(idleDays === null ? [] : [idleSearch(at, idleDays)]),
    ...(testModeDays !== null && testModeApps.includes(slug) ? [oldSearch(at, testModeDays)] : []),
  ]
}

/** The grants of organizations' own apps that are not published. */
const ownAppSearches = async (db: Queryable, limitedMethods: LimitedMethod[]): Promise<Search[]> => {
  const limits = limitedMethods.map(({ testModeDays }) => testModeDays).filter(days => days !== null)
  if (limits.length === 0) return []
  const days = Math.min(...limits)
  return (await db.query(selectOwnTestApps)).map(
    ({ oauthApp }) =>
      (queryable, after, limit) =>
        queryable.query(selectOfOwnApp, { ...timedPageOf(after, limit), oauthApp, days }),
  )
}

/** Every search for credentials that may be at risk, which several of them may find. `credential-health.ts` decides about each. */
export const atRiskSearches = async (
  db: Queryable,
  {
    limitedMethods,
    testModeApps,
    warningDays,
  }: Pick<HealthReader, 'limitedMethods' | 'testModeApps' | 'warningDays'>,
): Promise<Search[]> => [
  (queryable, after, limit) => queryable.query(selectTroubled, pageOf(after, limit)),
  (queryable, after, limit) => queryable.query(selectEnding, { ...timedPageOf(after, limit), warningDays }),
  ...limitedMethods.flatMap(method => searchesOfMethod(method, testModeApps)),
  ...(await ownAppSearches(db, limitedMethods)),
]

/** The pages of a search. */
export async function* pagesOf(
  db: Queryable,
  search: Search,
  limit: number,
): AsyncGenerator<Candidate[], void> {
  for (let after: Position | undefined = START; after; ) {
    const candidates: Found[] = await search(db, after, limit)
    yield candidates
    after = candidates.length < limit ? undefined : candidates.at(-1)
  }
}
