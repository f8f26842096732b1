import { DAY, HOUR } from '../../../src/core/duration.ts'
import type { Scenario } from './scenario.ts'
import type { VendorAccount } from './vendor.ts'

/** An account of the simulation: what is true at the vendor, and what the service has stored about its credential. */
export type SimulatedAccount = {
  organization: number
  callsPerDay: number
  heedsWarnings: boolean
  vendor: VendorAccount
  status: 'active' | 'needs_reauth'
  linkedAt: number
  /** Last refresh of the tokens. */
  refreshedAt: number
  lastSuccessAt: number
  refusedSince: number | null
  refusals: number
  checkedAt: number
  /** What the job has noted: a successful call, at most once a day. */
  usedAt: number | null
  refreshFailingSince: number | null
  announced: Announcement[]
  /** The end at the vendor was counted. */
  isEndCounted: boolean
}

export type Announcement = { id: string; at: number; endsAt: number | null }

const YEAR = 365 * DAY

const between = (random: () => number, [min, max]: [number, number]): number => min + random() * (max - min)

export const createAccounts = (scenario: Scenario, random: () => number): SimulatedAccount[] =>
  Array.from({ length: scenario.accounts }, (_, index) => {
    const linkedAt = scenario.linked_on ? Math.round(between(random, scenario.linked_on)) * DAY : 0
    const early = scenario.created_before_link
    const age = early && random() < early.share ? Math.round(between(random, early.days)) * DAY : 0
    return {
      organization: index % scenario.organizations,
      callsPerDay: between(random, scenario.calls_per_day),
      heedsWarnings: random() < (scenario.heeds_warning ?? 0),
      vendor: {
        ...newVendorAccount(scenario, linkedAt - age),
        shard: random(),
        revokedAt: (scenario.endings ?? []).reduce<number | null>(
          (at, { share }) => (random() < share ? random() * YEAR : at),
          null,
        ),
        lacksLicense: random() < (scenario.forbidden_tool?.share_of_accounts ?? 0),
      },
      ...newCredential(linkedAt),
    }
  })

const newVendorAccount = (scenario: Scenario, createdAt: number) => ({
  createdAt,
  lastUseAt: createdAt,
  revokedAt: null,
  accessExpiresAt: scenario.access_days === undefined ? null : createdAt + scenario.access_days * DAY,
})

const newCredential = (linkedAt: number) => ({
  status: 'active' as const,
  linkedAt,
  refreshedAt: linkedAt,
  lastSuccessAt: Number.NEGATIVE_INFINITY,
  refusedSince: null,
  refusals: 0,
  checkedAt: Number.NEGATIVE_INFINITY,
  usedAt: null,
  refreshFailingSince: null,
  announced: [],
  isEndCounted: false,
})

export const linkAgain = (scenario: Scenario, account: SimulatedAccount, now: number): void => {
  Object.assign(account, newCredential(now))
  Object.assign(account.vendor, newVendorAccount(scenario, now))
}

/** When the account is called next. */
export const nextCallAfter = (now: number, { callsPerDay }: SimulatedAccount, random: () => number): number =>
  now - (Math.log(1 - random()) * DAY) / callsPerDay

export const relinkDelay = (random: () => number): number => between(random, [1, 96]) * HOUR
