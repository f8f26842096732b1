import { DAY, HOUR, MINUTE } from '../../../src/core/duration.ts'
import type { Fault, Scenario } from './scenario.ts'

export type VendorAccount = {
  /** Between 0 and 1: decides whether a fault of a share of the accounts concerns this one. */
  shard: number
  createdAt: number
  lastUseAt: number
  /** When the user revokes it. */
  revokedAt: number | null
  /** The access token of a grant without a refresh token. */
  accessExpiresAt: number | null
  lacksLicense: boolean
}

export type VendorAnswer = 'ok' | 'unauthorized' | 'revoked' | 'unavailable' | 'invalid_grant'

/** What the vendor does, which the service cannot see except by its answers. */
export const createVendor = (scenario: Scenario, random: () => number) => {
  const faults = (scenario.faults ?? []).flatMap(spread)
  const { idle_days: idleDays, max_days: maxDays } = scenario.truth ?? {}

  /** When the credential has ended, if it has. */
  const endedAt = ({ createdAt, lastUseAt, revokedAt, accessExpiresAt }: VendorAccount): number =>
    Math.min(
      revokedAt ?? Number.POSITIVE_INFINITY,
      accessExpiresAt ?? Number.POSITIVE_INFINITY,
      maxDays === undefined ? Number.POSITIVE_INFINITY : createdAt + maxDays * DAY,
      idleDays === undefined ? Number.POSITIVE_INFINITY : lastUseAt + idleDays * DAY,
    )

  const faultyAnswer = (
    surface: 'calls' | 'identity' | 'token',
    account: VendorAccount,
    now: number,
  ): VendorAnswer | null => {
    for (const { start, end, fault } of faults) {
      if (now < start || now >= end || !fault.on.includes(surface)) continue
      if (fault.share !== undefined && account.shard >= fault.share) continue
      if (fault.probability !== undefined && random() >= fault.probability) continue
      return fault.answers === 401 ? 'unauthorized' : 'unavailable'
    }
    return null
  }

  const answer = (surface: 'calls' | 'identity', account: VendorAccount, now: number): VendorAnswer => {
    const faulty = faultyAnswer(surface, account, now)
    if (faulty) return faulty
    if (now >= endedAt(account))
      return scenario.endings?.some(({ then }) => then === 'revoked') ? 'revoked' : 'unauthorized'
    if (
      surface === 'calls' &&
      account.lacksLicense &&
      random() < (scenario.forbidden_tool?.share_of_calls ?? 0)
    )
      return 'unauthorized'
    account.lastUseAt = now
    return 'ok'
  }

  const refresh = (account: VendorAccount, now: number): VendorAnswer => {
    const faulty = faultyAnswer('token', account, now)
    if (faulty) return faulty
    if (now >= endedAt(account)) return 'invalid_grant'
    account.lastUseAt = now
    return 'ok'
  }

  return { answer, refresh, endedAt }
}

const spread = (fault: Fault) =>
  Array.from({ length: fault.times ?? 1 }, (_, index) => {
    const start = (fault.first_day + index * (fault.every_days ?? 0)) * DAY + 9 * HOUR
    return { fault, start, end: start + fault.minutes * MINUTE }
  })
