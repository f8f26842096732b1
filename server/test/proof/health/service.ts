import { DAY, HOUR, MINUTE } from '../../../src/core/duration.ts'
import {
  CHECK_INTERVAL_MS,
  checkIntervalMs,
  type IdentityAnswer,
  judgeRefusal,
  type OtherCredentials,
} from '../../../src/features/credentials/health/refusal-verdict.ts'
import { type HealthFacts, risksOf } from '../../../src/features/credentials/risks/credential-health.ts'
import type { SimulatedAccount } from './account.ts'
import type { Scenario } from './scenario.ts'
import type { createVendor, VendorAnswer } from './vendor.ts'

type Options = {
  scenario: Scenario
  accounts: SimulatedAccount[]
  vendor: ReturnType<typeof createVendor>
  onEnd: (account: SimulatedAccount, now: number) => void
  onWarning: (account: SimulatedAccount, now: number, endsAt: number | null) => void
}

const ACCESS_TOKEN_MS = HOUR
const COMPARED_MS = 15 * MINUTE
const OUTAGE_MS = 7 * DAY
/** The default of `CREDENTIAL_WARNING_DAYS`. */
const WARNING_MS = 3 * DAY

/** The service, as far as it concerns credentials. It keeps in memory what the product keeps in the database, and uses the product’s detector. */
export const createSimulatedService = ({ scenario, accounts, vendor, onEnd, onWarning }: Options) => {
  const usesOAuthApp = scenario.app !== 'key'
  const isRefreshable = usesOAuthApp && scenario.refresh_token !== false
  const ofOrganization = Map.groupBy(accounts, ({ organization }) => organization)

  const end = (account: SimulatedAccount, now: number): void => {
    account.status = 'needs_reauth'
    onEnd(account, now)
  }

  /** Returns false if the token could not be refreshed. */
  const refresh = (account: SimulatedAccount, now: number): boolean => {
    const answer = vendor.refresh(account.vendor, now)
    if (answer === 'ok') {
      account.refreshedAt = now
      account.refreshFailingSince = null
    } else account.refreshFailingSince ??= now
    if (answer === 'invalid_grant') end(account, now)
    return answer === 'ok'
  }

  /** As `refusalStore.compare`. */
  const compare = (account: SimulatedAccount, now: number): OtherCredentials => {
    const compared = scenario.app === 'service' ? accounts : (ofOrganization.get(account.organization) ?? [])
    const others = compared.filter(other => other !== account && other.status === 'active')
    return {
      accepted: others.filter(({ lastSuccessAt }) => lastSuccessAt > now - COMPARED_MS).length,
      refused: others.filter(({ refusedSince }) => refusedSince !== null && refusedSince > now - OUTAGE_MS)
        .length,
    }
  }

  const forget = (account: SimulatedAccount): void => {
    account.refusedSince = null
    account.refusals = 0
  }

  /** As `settle` of the product. */
  const settle = (account: SimulatedAccount, identity: IdentityAnswer, now: number): void => {
    if (identity === 'accepted') forget(account)
    if (identity === 'refused') {
      if (account.refusedSince !== null && account.lastSuccessAt > account.refusedSince) forget(account)
      account.refusedSince ??= now
      account.refusals++
    }
    const refusedForMs = now - (account.refusedSince ?? now)
    const wasRefreshed = account.refusedSince !== null && account.refreshedAt > account.refusedSince
    const others = compare(account, now)
    const verdict = judgeRefusal({ identity, refusedForMs, usesOAuthApp, wasRefreshed, others })
    if (verdict.ends) end(account, now)
  }

  const check = (account: SimulatedAccount, now: number): void => {
    account.checkedAt = now
    settle(account, IDENTITY[vendor.answer('identity', account.vendor, now)], now)
  }

  const isCheckDue = ({ checkedAt, refusals }: SimulatedAccount, now: number): boolean =>
    checkedAt <= now - checkIntervalMs(refusals)

  /** As the job that announces risks. It runs hourly in the product, and daily here. */
  const report = (account: SimulatedAccount, now: number): void => {
    if (account.status !== 'active') return
    if (account.lastSuccessAt > (account.usedAt ?? Number.NEGATIVE_INFINITY) + DAY)
      account.usedAt = account.lastSuccessAt
    for (const { id, endsAt } of risksOf(factsOf(account, now), scenario.lifetime ?? null, WARNING_MS)) {
      if (account.announced.some(announced => announced.id === id)) continue
      account.announced.push({ id, at: now, endsAt: endsAt?.getTime() ?? null })
      onWarning(account, now, endsAt?.getTime() ?? null)
    }
  }

  const factsOf = (account: SimulatedAccount, now: number): HealthFacts => ({
    now: new Date(now),
    status: account.status,
    usesRefreshTokens: usesOAuthApp,
    inTestMode: scenario.test_mode === true,
    linkedAt: new Date(account.linkedAt),
    refreshedAt: new Date(account.refreshedAt),
    usedAt: dateOf(account.usedAt),
    // The token response states it.
    endsAt: scenario.refresh_token === false ? dateOf(account.vendor.accessExpiresAt) : null,
    endStatedAt: null,
    refusedSince: dateOf(account.refusedSince),
    refreshFailingSince: dateOf(account.refreshFailingSince),
    lostScopes: [],
  })

  return {
    report,
    call: (account: SimulatedAccount, now: number): void => {
      if (isRefreshable && account.refreshedAt <= now - ACCESS_TOKEN_MS && !refresh(account, now)) return
      let answer = vendor.answer('calls', account.vendor, now)
      const wasRenewed = account.refusedSince !== null && account.refreshedAt > now - CHECK_INTERVAL_MS
      if (isRefused(answer) && isRefreshable && !wasRenewed) {
        if (!refresh(account, now)) return
        answer = vendor.answer('calls', account.vendor, now)
      }
      if (answer === 'ok') account.lastSuccessAt = now
      if (answer === 'revoked') settle(account, 'revoked', now)
      // An access token without a refresh token has expired by the clock.
      const expiresAt = account.vendor.accessExpiresAt
      if (answer === 'unauthorized' && expiresAt !== null && expiresAt <= now) return end(account, now)
      if (answer === 'unauthorized' && isCheckDue(account, now)) check(account, now)
    },
    /** The job that checks refused credentials again. */
    recheck: (account: SimulatedAccount, now: number): void => {
      if (account.status !== 'active' || account.refusedSince === null || !isCheckDue(account, now)) return
      if (isRefreshable && !refresh(account, now)) return
      check(account, now)
    },
    /** The job that refreshes idle credentials. */
    keepAlive: (account: SimulatedAccount, now: number): void => {
      if (isRefreshable && account.status === 'active' && account.refreshedAt < now - 5 * DAY)
        refresh(account, now)
    },
  }
}

const dateOf = (time: number | null): Date | null => (time === null ? null : new Date(time))

const isRefused = (answer: VendorAnswer): boolean => answer === 'unauthorized' || answer === 'revoked'

const IDENTITY: Record<VendorAnswer, IdentityAnswer> = {
  ok: 'accepted',
  unauthorized: 'refused',
  revoked: 'revoked',
  unavailable: 'unknown',
  invalid_grant: 'unknown',
}
