import type { CredentialHealthState, Lifetime, RiskReason } from '@carabiner/contract'
import { DAY, HOUR } from '../../../core/duration.ts'

/** What is known about a credential. */
export type HealthFacts = {
  now: Date
  status: 'active' | 'needs_reauth' | 'revoked'
  /** The tokens are of a method with refresh tokens, whose limits count from the last refresh. */
  usesRefreshTokens: boolean
  inTestMode: boolean
  linkedAt: Date
  refreshedAt: Date | null
  /** A successful call, up to a day late. Null: unknown. */
  usedAt: Date | null
  /** The end that the provider has stated. */
  endsAt: Date | null
  /** When it was stated. Null: when the account was linked. */
  endStatedAt: Date | null
  refusedSince: Date | null
  refreshFailingSince: Date | null
  /** Scopes that the provider granted, and no longer does. */
  lostScopes: string[]
}

/** `endsAt`: null if the time is not known. `id` identifies this occurrence of the risk. */
export type Risk = { id: string; reason: RiskReason; endsAt: Date | null }
export type CredentialHealth = { state: CredentialHealthState; risk: Risk | null }

export type Limits = Omit<Lifetime, 'source' | 'checked_on'>
/** An end by the clock, and the time from which it counts. */
type Limit = { reason: RiskReason; from: Date; endsAt: Date }

/** Providers have outages of minutes. Shorter refusals are not reported. */
const REPORTED_REFUSAL_MS = HOUR
const REPORTED_REFRESH_FAILURE_MS = 2 * DAY
const MAX_ID_LENGTH = 200

const HEALTHY: CredentialHealth = { state: 'healthy', risk: null }

export const credentialHealth = (
  facts: HealthFacts,
  lifetime: Limits | null,
  warningMs: number,
): CredentialHealth => {
  if (facts.status !== 'active') return { state: 'needs_reauth', risk: null }
  const [risk] = risksOf(facts, lifetime, warningMs)
  return risk ? { state: 'at_risk', risk } : HEALTHY
}

/** The risks of an active credential, the most urgent first. */
export const risksOf = (facts: HealthFacts, lifetime: Limits | null, warningMs: number): Risk[] => [
  ...observedRisks(facts),
  ...limitsOf(facts, lifetime ?? {})
    .filter(limit => isNear(limit, facts, warningMs))
    .toSorted((a, b) => a.endsAt.getTime() - b.endsAt.getTime())
    .map(({ reason, endsAt }) => ({ id: `${reason} ${endsAt.toISOString()}`, reason, endsAt })),
  ...(facts.lostScopes.length > 0
    ? [undated('scopes_lost', facts.lostScopes.toSorted().join(' ').slice(0, MAX_ID_LENGTH))]
    : []),
]

const undated = (reason: RiskReason, occurrence: string): Risk => ({
  id: `${reason} ${occurrence}`,
  reason,
  endsAt: null,
})

const observedRisks = ({ now, refusedSince, refreshFailingSince }: HealthFacts): Risk[] => [
  ...lasting('refused', refusedSince, now, REPORTED_REFUSAL_MS),
  ...lasting('refresh_failing', refreshFailingSince, now, REPORTED_REFRESH_FAILURE_MS),
]

const lasting = (reason: RiskReason, since: Date | null, now: Date, reportedAfterMs: number): Risk[] =>
  since !== null && now.getTime() - since.getTime() >= reportedAfterMs
    ? [undated(reason, since.toISOString())]
    : []

const limitsOf = (facts: HealthFacts, limits: Partial<Limits>): Limit[] => {
  const { linkedAt, refreshedAt, usedAt, usesRefreshTokens, endsAt, endStatedAt, inTestMode } = facts
  const obtainedAt = latest(linkedAt, refreshedAt)
  const lastUse = usesRefreshTokens ? obtainedAt : latest(obtainedAt, usedAt)
  const after = (reason: RiskReason, from: Date, days: number | undefined): Limit[] =>
    days === undefined ? [] : [{ reason, from, endsAt: new Date(from.getTime() + days * DAY) }]
  return [
    ...(endsAt ? [{ reason: 'expires' as const, from: endStatedAt ?? linkedAt, endsAt }] : []),
    ...after('unused', lastUse, limits.idle_days),
    ...after('maximum_lifetime', linkedAt, limits.max_days),
    ...after('test_mode', linkedAt, inTestMode ? limits.test_mode_days : undefined),
    ...after('rotation_due', linkedAt, limits.rotate_days),
  ]
}

const warningOf = (durationMs: number, warningMs: number): number => Math.min(warningMs, durationMs / 2)

/** Days before which no credential is at risk by a limit. A search for credentials at risk can leave out those that are younger. */
export const earliestRisks = (
  { idle_days, max_days, test_mode_days, rotate_days }: Limits,
  warningMs: number,
) => {
  const before = (days: number): number => days - warningOf(days * DAY, warningMs) / DAY
  const ages = [max_days, rotate_days].filter(days => days !== undefined)
  return {
    idleDays: idle_days === undefined ? null : before(idle_days),
    ageDays: ages.length === 0 ? null : before(Math.min(...ages)),
    testModeDays: test_mode_days === undefined ? null : before(test_mode_days),
  }
}

/**
 * A short lifetime is not a risk from its start, so at most half of it is. A credential that still works after the end that its file states is
 * not bound by it.
 */
const isNear = (
  { reason, from, endsAt }: Limit,
  { now, refreshedAt, usedAt }: HealthFacts,
  warningMs: number,
): boolean => {
  const warning = warningOf(endsAt.getTime() - from.getTime(), warningMs)
  if (now.getTime() < endsAt.getTime() - warning) return false
  return reason === 'rotation_due' || latest(from, refreshedAt, usedAt).getTime() <= endsAt.getTime()
}

const latest = (first: Date, ...others: (Date | null)[]): Date =>
  others.reduce<Date>((last, other) => (other && other > last ? other : last), first)
