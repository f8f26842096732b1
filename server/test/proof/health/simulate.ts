import { DAY, HOUR, MINUTE } from '../../../src/core/duration.ts'
import { checkIntervalMs } from '../../../src/features/credentials/health/refusal-verdict.ts'
import {
  type Announcement,
  createAccounts,
  linkAgain,
  nextCallAfter,
  relinkDelay,
  type SimulatedAccount,
} from './account.ts'
import { createEventQueue } from './event-queue.ts'
import { createRandom } from './random.ts'
import type { Scenario } from './scenario.ts'
import { createSimulatedService } from './service.ts'
import { createVendor } from './vendor.ts'

type Event = { kind: 'call' | 'recheck' | 'daily' | 'relink'; account: SimulatedAccount }

export type SimulationResult = {
  name: string
  accounts: number
  calls: number
  /** Credentials that had ended at the vendor when the service ended them. */
  ended: number
  /** Credentials that the service ended although the vendor had not. */
  healthyEnded: number
  /** Credentials that the service has not ended within ten days of a call after their end. */
  missed: number
  /** Ends at the vendor that could be foreseen: the connector file or the token response states when. */
  foreseeable: number
  /** Those of them that were announced at least a day ahead, with a date that is at most two days off. */
  foreseen: number
  /** All announcements, also those of accounts that recovered. */
  warnings: number
  /** The longest time from the first call after the end at the vendor to the end in the service. */
  longestDelayHours: number
}

const YEAR = 365 * DAY
const MISSED_AFTER_MS = 10 * DAY

const isForeseeable = ({ lifetime, refresh_token }: Scenario): boolean =>
  lifetime !== undefined || refresh_token === false

const foresees = ({ at, endsAt }: Announcement, endedAt: number): boolean =>
  at <= endedAt - DAY && endsAt !== null && Math.abs(endsAt - endedAt) <= 2 * DAY

/** A year of a scenario. `scale` reduces the number of accounts and organizations. */
export const simulate = (scenario: Scenario, { seed = 1, scale = 1 } = {}): SimulationResult => {
  const random = createRandom(seed)
  const scaled = {
    ...scenario,
    accounts: Math.ceil(scenario.accounts * scale),
    organizations: Math.ceil(scenario.organizations * scale),
  }
  const vendor = createVendor(scaled, random)
  const accounts = createAccounts(scaled, random)
  const queue = createEventQueue<Event>()
  const result: SimulationResult = {
    name: scenario.name,
    accounts: accounts.length,
    calls: 0,
    ended: 0,
    healthyEnded: 0,
    missed: 0,
    foreseeable: 0,
    foreseen: 0,
    warnings: 0,
    longestDelayHours: 0,
  }
  const firstCallAfterEnd = new Map<SimulatedAccount, number>()

  const countEnding = (account: SimulatedAccount, now: number): void => {
    const endedAt = vendor.endedAt(account.vendor)
    if (account.isEndCounted || endedAt > now) return
    account.isEndCounted = true
    if (!isForeseeable(scenario) || endedAt === account.vendor.revokedAt) return
    result.foreseeable++
    if (account.announced.some(announced => foresees(announced, endedAt))) result.foreseen++
  }
  const onWarning = (account: SimulatedAccount, now: number, endsAt: number | null): void => {
    result.warnings++
    if (endsAt !== null && account.heedsWarnings) queue.add(now + random() * DAY, { kind: 'relink', account })
  }
  const onEnd = (account: SimulatedAccount, now: number): void => {
    countEnding(account, now)
    if (vendor.endedAt(account.vendor) > now) result.healthyEnded++
    else result.ended++
    const noticed = firstCallAfterEnd.get(account) ?? now
    result.longestDelayHours = Math.max(result.longestDelayHours, (now - noticed) / HOUR)
    firstCallAfterEnd.delete(account)
    queue.add(now + relinkDelay(random), { kind: 'relink', account })
  }
  const service = createSimulatedService({ scenario: scaled, accounts, vendor, onEnd, onWarning })
  const stops = (scenario.service_stopped ?? []).map(({ first_day: day, hours }) => ({
    start: day * DAY,
    end: day * DAY + hours * HOUR,
  }))
  const isStopped = (now: number): boolean => stops.some(({ start, end }) => now >= start && now < end)

  const handle = ({ kind, account }: Event, now: number): void => {
    switch (kind) {
      case 'call':
        queue.add(nextCallAfter(now, account, random), { kind, account })
        if (isStopped(now) || account.status !== 'active') return
        result.calls++
        if (vendor.endedAt(account.vendor) <= now && !firstCallAfterEnd.has(account))
          firstCallAfterEnd.set(account, now)
        service.call(account, now)
        return awaitRecheck(account, now)
      case 'recheck':
        if (isStopped(now)) return queue.add(now + MINUTE, { kind, account })
        service.recheck(account, now)
        return awaitRecheck(account, now)
      case 'daily':
        queue.add(now + DAY, { kind, account })
        countEnding(account, now)
        if (isStopped(now)) return
        service.keepAlive(account, now)
        service.report(account, now)
        return
      case 'relink':
        countEnding(account, now)
        linkAgain(scaled, account, now)
    }
  }
  const awaited = new Set<SimulatedAccount>()
  const awaitRecheck = (account: SimulatedAccount, now: number): void => {
    if (account.refusedSince === null || account.status !== 'active') return void awaited.delete(account)
    const due = account.checkedAt + checkIntervalMs(account.refusals)
    if (due <= now && awaited.has(account)) return
    awaited.add(account)
    queue.add(Math.max(due, now) + MINUTE, { kind: 'recheck', account })
  }

  for (const account of accounts) {
    const start = Math.max(account.linkedAt, 0)
    queue.add(nextCallAfter(start, account, random), { kind: 'call', account })
    queue.add(start + random() * DAY, { kind: 'daily', account })
  }
  for (let next = queue.next(); next && next.at < YEAR; next = queue.next()) handle(next.event, next.at)
  for (const noticed of firstCallAfterEnd.values()) if (noticed < YEAR - MISSED_AFTER_MS) result.missed++
  return result
}
