import { ARCHIVED_TABLES } from '../portability/archived-tables.ts'

/**
 * What a backup contains. A test compares this list with the catalog of the database: a table of the service is backed up or has a
 * reason in `NOT_BACKED_UP`.
 */
export type BackedUpTable = { name: string }

/** Rows that a new database may have. A restore replaces them. */
export const INITIAL_TABLES = ['service_secrets', 'usage_progress', 'catalog_slugs']

/** In the order of a restore: a table comes after those that its foreign keys refer to. */
export const BACKED_UP_TABLES: readonly BackedUpTable[] = [
  ...INITIAL_TABLES,
  'key_rotations',
  ...ARCHIVED_TABLES.map(({ name }) => name),
  'organization_imports',
  'people',
  'people_accounts',
  'people_passkeys',
  'people_second_factors',
  'operators',
  'members',
].map(name => ({ name }))

export const NOT_BACKED_UP: Readonly<Record<string, string>> = {
  schema_migrations: 'the migrations of the target create its schema; a restore compares both',
  people_sessions: 'people sign in again after a restore',
  people_verifications: 'values of sign-ins in progress',
  people_rate_limits: 'counts of the last minutes',
  people_sign_in_links: 'links are created again after a restore',
  approvals: 'a decision is about a call of the installation as it was; callers ask again',
  approval_decisions: 'as approvals',
  approval_grants: 'as approvals: what was remembered ends',
  approval_visits: 'browsers in which a user decides',
  tool_tasks: 'as approvals: callers make their calls again',
  job_runs: 'the last runs of the jobs of this installation',
  restores: 'the progress of a restore into this database',
}
