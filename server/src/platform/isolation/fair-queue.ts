import { SECOND } from '../../core/duration.ts'

/**
 * Orders jobs of several owners by the CPU time that each has used recently, so that no owner delays the others for
 * long.
 */
export type FairQueue<Job> = {
  /** False if the owner has too many queued jobs. */
  add(owner: string, job: Job): boolean
  remove(owner: string, job: Job): boolean
  /** The next job of the owner with the least recent use; null if none may run now. */
  take(): Job | null
  /** Records the end of a job. */
  release(owner: string, cpuMs: number): void
}

type Options = { maxQueuedPerOwner: number; maxRunningPerOwner: number; now?: () => number }
type Account<Job> = { jobs: Job[]; running: number; usedMs: number; at: number }

/** Half-life of recorded CPU time. */
const HALF_LIFE_MS = 10 * SECOND
const NEGLIGIBLE_MS = 1
const MAX_ACCOUNTS = 1_000

export const createFairQueue = <Job>({
  maxQueuedPerOwner,
  maxRunningPerOwner,
  now = () => performance.now(),
}: Options): FairQueue<Job> => {
  const accounts = new Map<string, Account<Job>>()

  const usedBy = ({ usedMs, at }: Account<Job>): number => usedMs * 2 ** ((at - now()) / HALF_LIFE_MS)
  const isUnused = (account: Account<Job>): boolean =>
    account.jobs.length === 0 && account.running === 0 && usedBy(account) < NEGLIGIBLE_MS
  const prune = (): void => {
    for (const [owner, account] of accounts) if (isUnused(account)) accounts.delete(owner)
  }
  const accountOf = (owner: string): Account<Job> => {
    if (accounts.size >= MAX_ACCOUNTS) prune()
    const account = accounts.get(owner) ?? { jobs: [], running: 0, usedMs: 0, at: now() }
    accounts.set(owner, account)
    return account
  }

  return {
    add: (owner, job) => {
      const account = accountOf(owner)
      if (account.jobs.length >= maxQueuedPerOwner) return false
      account.jobs.push(job)
      return true
    },
    remove: (owner, job) => {
      const jobs = accounts.get(owner)?.jobs ?? []
      const at = jobs.indexOf(job)
      if (at !== -1) jobs.splice(at, 1)
      return at !== -1
    },
    take: () => {
      let next: Account<Job> | null = null
      for (const account of accounts.values())
        if (account.jobs.length > 0 && account.running < maxRunningPerOwner)
          if (!next || usedBy(account) < usedBy(next)) next = account
      if (!next) return null
      next.running++
      return next.jobs.shift() ?? null
    },
    release: (owner, cpuMs) => {
      const account = accountOf(owner)
      account.running--
      account.usedMs = usedBy(account) + cpuMs
      account.at = now()
    },
  }
}
