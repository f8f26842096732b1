import {
  array,
  boolean,
  ensured,
  nullable,
  text,
  timestamptz,
  type Values,
} from '../../../platform/database/sql-types.ts'

/** What is stored about the health of a credential. */
export const healthColumns = {
  now: ensured(timestamptz),
  linkedAt: timestamptz,
  refreshedAt: nullable(timestamptz),
  usedAt: nullable(timestamptz),
  endsAt: nullable(timestamptz),
  endStatedAt: nullable(timestamptz),
  refusedSince: nullable(timestamptz),
  refreshFailingSince: nullable(timestamptz),
  lostScopes: array(text),
  ownAppInTestMode: ensured(boolean),
}
export type StoredHealth = Values<typeof healthColumns>

/** The columns of a row `c` of `credentials`. */
export const HEALTH = `app_now() as now, c.linked_at, c.refreshed_at, c.used_at, c.ends_at, c.end_stated_at, c.refused_since, c.refresh_failing_since,
  c.lost_scopes, exists (select from oauth_apps_in_test_mode x where x.organization_id = c.organization_id and x.oauth_app = c.oauth_app)
    as own_app_in_test_mode`
