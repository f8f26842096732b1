import { SECOND } from '../../core/duration.ts'
import type { Log } from '../log.ts'

/** Resolves to `not_used` if this process does not need what is checked. Rejects if the check fails. */
export type ReadinessCheck = {
  name: string
  /** What an operator should do if the check fails. The response is public, so it contains no details. */
  action: string
  run: () => Promise<unknown>
}

export type CheckResult = {
  name: string
  status: 'ok' | 'failed' | 'not_used' | 'not_checked'
  /** Only of a failed check. */
  action?: string
}

export type ReadinessReport = { status: 'ready' | 'not_ready' | 'draining'; checks: CheckResult[] }

export type Readiness = {
  read(): Promise<ReadinessReport>
  /** From now on the process is not ready, so that load balancers stop sending requests to it. */
  drain(): void
  isDraining(): boolean
}

export type ReadinessOptions = {
  log: Log
  /** All other checks need this one. If it fails, they are not run. */
  first: ReadinessCheck
  others: ReadinessCheck[]
  /** Deadline of all checks together. */
  timeoutMs?: number
  /** How long a report is reused. */
  ttlMs?: number
  now?: () => number
}

/** A response must arrive within two seconds even if the database hangs. */
const CHECK_TIMEOUT_MS = 1.5 * SECOND
/** Load balancers and operators may poll several times a second. */
const REPORT_TTL_MS = SECOND

/** Runs the checks at most once at a time and once per `ttlMs`, however many requests there are. */
export const createReadiness = ({
  log,
  first,
  others,
  timeoutMs = CHECK_TIMEOUT_MS,
  ttlMs = REPORT_TTL_MS,
  now = () => performance.now(),
}: ReadinessOptions): Readiness => {
  let draining = false
  let report: Promise<ReadinessReport> | null = null
  let expiresAt = 0
  const failing = new Set<string>()

  const run = async ({ name, action, run: check }: ReadinessCheck, deadline: Promise<never>) => {
    try {
      const result = await Promise.race([check(), deadline])
      if (failing.delete(name)) log.info({ step: name }, 'a readiness check succeeds again')
      return { name, status: result === 'not_used' ? 'not_used' : 'ok' } satisfies CheckResult
    } catch (error) {
      if (!failing.has(name)) log.warn({ error, step: name }, 'a readiness check failed')
      failing.add(name)
      return { name, status: 'failed', action } satisfies CheckResult
    }
  }
  const runAll = async (): Promise<ReadinessReport> => {
    const { promise: deadline, reject } = Promise.withResolvers<never>()
    deadline.catch(() => undefined)
    const timer = setTimeout(() => reject(new Error('the readiness checks timed out')), timeoutMs)
    const basis = await run(first, deadline)
    const rest =
      basis.status === 'failed'
        ? others.map(({ name }): CheckResult => ({ name, status: 'not_checked' }))
        : await Promise.all(others.map(check => run(check, deadline)))
    clearTimeout(timer)
    expiresAt = now() + ttlMs
    const checks = [basis, ...rest]
    return { status: checks.some(({ status }) => status === 'failed') ? 'not_ready' : 'ready', checks }
  }

  return {
    read: async () => {
      if (draining) return { status: 'draining', checks: [] }
      if (now() >= expiresAt) {
        expiresAt = Number.POSITIVE_INFINITY
        report = runAll()
      }
      return report as Promise<ReadinessReport>
    },
    drain: () => {
      draining = true
    },
    isDraining: () => draining,
  }
}
