import { parseArgs } from 'node:util'

export const JOBS = ['mint', 'confirm'] as const
export type Job = (typeof JOBS)[number]

export type Options = {
  /** How long one measurement lasts; a warm-up of a tenth of it comes before. */
  seconds: number
  connections: number
  /** Every measurement is taken once a round, and the median of the rounds is told. */
  rounds: number
  jobs: readonly Job[]
  /** Also measures starts on the embedded database, which have no part in the other measurements. */
  embedded: boolean
  json: string | undefined
  /** Where the service leaves a CPU profile; absent, it is not profiled. */
  profile: string | undefined
}

export const USAGE = `node bench/src/main.ts [options]

  --seconds N       how long each measurement lasts (5)
  --connections N   how many callers at once, beside one (32)
  --rounds N        how often each measurement is repeated; medians are told (3)
  --quick           one round of one second: that it runs, not how fast
  --job NAME        mint or confirm; both without it
  --json FILE       every figure, for a machine
  --profile FOLDER  leaves a CPU profile of the service there
`

const DEFAULTS: Options = {
  seconds: 5,
  connections: 32,
  rounds: 3,
  jobs: JOBS,
  embedded: true,
  json: undefined,
  profile: undefined,
}

export class UsageError extends Error {}

/** What every comparison takes. */
export const COMMON = {
  seconds: { type: 'string' },
  connections: { type: 'string' },
  rounds: { type: 'string' },
  quick: { type: 'boolean' },
  json: { type: 'string' },
  profile: { type: 'string' },
} as const

/** What was mistyped is told as such, and not as a defect. */
export const tellUsage = <Parsed>(parse: () => Parsed): Parsed => {
  try {
    return parse()
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

export const readOptions = (args: string[]): Options => {
  const { values: given } = tellUsage(() =>
    parseArgs({ args, options: { ...COMMON, job: { type: 'string' } } }),
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
  }
}

export const count = (name: string, text: string | undefined, fallback: number): number => {
  const value = text === undefined ? fallback : Number(text)
  if (!Number.isInteger(value) || value < 1 || value > 1000)
    throw new UsageError(`--${name} is a whole number from 1 to 1000, not "${text}".`)
  return value
}

const readJob = (text: string): Job => {
  const job = JOBS.find(name => name === text)
  if (!job) throw new UsageError(`--job is one of ${JOBS.join(', ')}, not "${text}".`)
  return job
}
