import { parseArgs } from 'node:util'

export const JOBS = ['mint', 'confirm'] as const
export type Job = (typeof JOBS)[number]

export type Options = {
  /** Duration of one measurement. A warm-up of a tenth of it precedes it. */
  seconds: number
  connections: number
  /** Every measurement is taken once per round; the median of the rounds is reported. */
  rounds: number
  jobs: readonly Job[]
  /** Whether to also measure starts on the embedded database. The other measurements use PostgreSQL only. */
  embedded: boolean
  json: string | undefined
  /** Folder for a CPU profile of the service. Default: no profile. */
  profile: string | undefined
  /** Whether the database is on a RAM disk, which shows what the service needs apart from the disk. */
  ramDisk: boolean
}

export const USAGE = `node bench/src/main.ts [options]

  --seconds N       duration of each measurement (default: 5)
  --connections N   number of concurrent callers; one caller is always measured as well (default: 32)
  --rounds N        number of repetitions; medians are reported (default: 3)
  --quick           one round of one second, to check that the bench runs
  --job NAME        mint or confirm (default: both)
  --ram-disk        puts the database on a RAM disk
  --json FILE       writes every figure as JSON
  --profile FOLDER  writes a CPU profile of the service
`

const DEFAULTS: Options = {
  seconds: 5,
  connections: 32,
  rounds: 3,
  jobs: JOBS,
  embedded: true,
  json: undefined,
  profile: undefined,
  ramDisk: false,
}

export class UsageError extends Error {}

/** The options of every bench that compares the service with references. */
export const COMMON = {
  seconds: { type: 'string' },
  connections: { type: 'string' },
  rounds: { type: 'string' },
  quick: { type: 'boolean' },
  json: { type: 'string' },
  profile: { type: 'string' },
} as const

/** Converts errors of the argument parser to usage errors, which are printed without a stack trace. */
export const withUsageErrors = <Parsed>(parse: () => Parsed): Parsed => {
  try {
    return parse()
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

export const readOptions = (args: string[]): Options => {
  const { values: given } = withUsageErrors(() =>
    parseArgs({ args, options: { ...COMMON, job: { type: 'string' }, 'ram-disk': { type: 'boolean' } } }),
  )
  const base = given.quick ? { ...DEFAULTS, seconds: 1, rounds: 1 } : DEFAULTS
  return {
    seconds: count('seconds', given.seconds, base.seconds),
    connections: count('connections', given.connections, base.connections),
    rounds: count('rounds', given.rounds, base.rounds),
    jobs: given.job === undefined ? JOBS : [readJob(given.job)],
    embedded: base.embedded,
    json: given.json,
    profile: given.profile,
    ramDisk: given['ram-disk'] === true,
  }
}

export const count = (name: string, text: string | undefined, fallback: number): number => {
  const value = text === undefined ? fallback : Number(text)
  if (!Number.isInteger(value) || value < 1 || value > 1000)
    throw new UsageError(`--${name} must be a whole number from 1 to 1000, not "${text}".`)
  return value
}

const readJob = (text: string): Job => {
  const job = JOBS.find(name => name === text)
  if (!job) throw new UsageError(`--job must be one of ${JOBS.join(', ')}, not "${text}".`)
  return job
}
