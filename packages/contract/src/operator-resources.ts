import { type Static, Type } from 'typebox'
import { MAX_CALL_LIMIT, plans } from './plans.ts'
import { Id, orNull, Page, pageOf, Timestamp } from './resources.ts'

/** Resources of the dashboard for operators of the installation. They are not part of the public API. */
const strict = { additionalProperties: false } as const

export const organizationStates = ['active', 'suspended', 'arriving', 'leaving', 'moved', 'deleting'] as const

const CallLimit = orNull(Type.Integer({ minimum: 0, maximum: MAX_CALL_LIMIT }))
const PlanName = Type.Enum(plans)
const StateName = Type.Enum(organizationStates)

/** What a change of an organization returns. */
export const ManagedOrganization = Type.Object({
  id: Id,
  name: Type.String(),
  state: StateName,
  plan: PlanName,
  /** Replaces the plan's number of calls per cycle. */
  call_limit: CallLimit,
  created_at: Timestamp,
})
export type ManagedOrganization = Static<typeof ManagedOrganization>

export const InstalledOrganization = Type.Object({
  ...ManagedOrganization.properties,
  /** The calls per cycle that apply; null: unlimited. */
  cycle_limit: orNull(Type.Integer()),
  /** Counted calls in production since the start of the cycle. */
  cycle_calls: Type.Integer(),
  members: Type.Integer(),
  registered_users: Type.Integer(),
})
export type InstalledOrganization = Static<typeof InstalledOrganization>
export const InstalledOrganizations = pageOf(InstalledOrganization)

const Search = Type.String({ minLength: 1, maxLength: 200 })
export const InstalledOrganizationQuery = Type.Object(
  {
    ...Page.Query.properties,
    search: Type.Optional(Search),
    state: Type.Optional(StateName),
  },
  strict,
)
export type InstalledOrganizationQuery = Static<typeof InstalledOrganizationQuery>

export const OrganizationCreate = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 255, pattern: '\\S' }),
    plan: Type.Optional(PlanName),
    call_limit: Type.Optional(CallLimit),
  },
  strict,
)
export type OrganizationCreate = Static<typeof OrganizationCreate>

/** The only response that contains the keys. */
export const CreatedOrganization = Type.Object({
  ...ManagedOrganization.properties,
  production_key: Type.String(),
  test_key: Type.String(),
})
export type CreatedOrganization = Static<typeof CreatedOrganization>

export const PlanChange = Type.Object({ plan: PlanName, call_limit: CallLimit }, strict)
export type PlanChange = Static<typeof PlanChange>

export const OrganizationDeletion = Type.Object(
  {
    /** The name of the organization, typed by the person. */
    name: Type.String({ maxLength: 255 }),
    /** Revokes the tokens of all users at their providers before the rows are deleted. */
    revoke: Type.Boolean(),
  },
  strict,
)
export type OrganizationDeletion = Static<typeof OrganizationDeletion>

export const InstalledPerson = Type.Object({
  id: Id,
  name: Type.String(),
  email: Type.String(),
  is_operator: Type.Boolean(),
  has_second_factor: Type.Boolean(),
  organizations: Type.Integer(),
  sessions: Type.Integer(),
  last_seen_at: orNull(Timestamp),
  created_at: Timestamp,
})
export type InstalledPerson = Static<typeof InstalledPerson>
export const InstalledPeople = pageOf(InstalledPerson)
export const InstalledPersonQuery = Type.Object(
  { ...Page.Query.properties, search: Type.Optional(Search) },
  strict,
)
export type InstalledPersonQuery = Static<typeof InstalledPersonQuery>
export const OperatorChange = Type.Object({ is_operator: Type.Boolean() }, strict)
export type OperatorChange = Static<typeof OperatorChange>

/** `warning`: it works, but needs attention. `problem`: something does not work. */
export const healthStatuses = ['ok', 'warning', 'problem'] as const
const Status = Type.Enum(healthStatuses)

export const InstallationHealth = Type.Object({
  status: Status,
  version: Type.String(),
  node: Type.String(),
  role: Type.String(),
  processes: Type.Integer(),
  uptime_seconds: Type.Integer(),
  memory_bytes: Type.Integer(),
  database: Type.Object({
    engine: Type.Enum(['postgres', 'pglite']),
    version: Type.String(),
    latency_ms: Type.Number(),
    bytes: Type.Integer(),
    migrations: Type.Integer(),
  }),
  organizations: Type.Array(Type.Object({ state: StateName, count: Type.Integer() })),
  checks: Type.Array(
    Type.Object({
      name: Type.String(),
      status: Status,
      /** One sentence. */
      found: Type.String(),
      /** What an operator can do. */
      fix: orNull(Type.String()),
    }),
  ),
  jobs: Type.Array(
    Type.Object({
      name: Type.String(),
      status: Status,
      interval_seconds: Type.Integer(),
      last_run_at: orNull(Timestamp),
      last_success_at: orNull(Timestamp),
    }),
  ),
  queues: Type.Array(
    Type.Object({
      name: Type.Enum(['webhooks', 'revocations', 'refreshes', 'deletions']),
      status: Status,
      /** Counted up to 10,000. */
      waiting: Type.Integer(),
      oldest_seconds: orNull(Type.Integer()),
    }),
  ),
  storage: Type.Array(Type.Object({ table: Type.String(), bytes: Type.Integer(), rows: Type.Integer() })),
})
export type InstallationHealth = Static<typeof InstallationHealth>
