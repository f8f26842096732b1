import { HttpError } from './http/http-error.ts'

export const faultTargets = ['authorize', 'token', 'revoke', 'userinfo', 'notes', 'vault', 'sites'] as const
export type FaultTarget = (typeof faultTargets)[number]

export const faultBehaviors = [
  'status',
  'slow',
  'late',
  'lost',
  'hang',
  'malformed',
  'huge',
  'reset',
  'redirect',
] as const
export type FaultBehavior = (typeof faultBehaviors)[number]

export type Fault = {
  target: FaultTarget
  behavior: FaultBehavior
  /** The status to answer with: 'status' (default 503) and 'redirect' (default 302). */
  status?: number
  /** What 'status' answers with: text, or anything else as JSON. */
  body?: unknown
  /** The next call waits for this; set by `hold`. */
  until?: Promise<void>
  /** How long it waits first; 'late', how long after everything has happened. */
  delay_ms?: number
  /** Where 'redirect' points. */
  location?: string
  /** How much 'huge' sends. */
  bytes?: number
  /** How many calls it meets. Default 1. */
  times?: number
}

export type Faults = {
  script: (fault: Fault) => void
  /** Makes the next call at this target wait. Returns the function that lets it continue. */
  hold: (target: FaultTarget) => () => void
  /** The fault that meets the next call at this target; it is used up by being taken. */
  take: (target: FaultTarget) => Fault | undefined
  waiting: () => Fault[]
  clear: () => void
}

export function createFaults(): Faults {
  const queue: { fault: Fault; left: number }[] = []
  return {
    script(fault) {
      const checked = parseFault(fault)
      queue.push({ fault: checked, left: checked.times ?? 1 })
    },
    hold(target) {
      const { promise, resolve } = Promise.withResolvers<void>()
      queue.push({ fault: { target, behavior: 'slow', until: promise }, left: 1 })
      return resolve
    },
    take(target) {
      const index = queue.findIndex(({ fault }) => fault.target === target)
      const next = queue[index]
      if (!next) return undefined
      next.left -= 1
      if (next.left === 0) queue.splice(index, 1)
      return next.fault
    },
    waiting: () => queue.map(({ fault, left }) => ({ ...fault, times: left })),
    clear() {
      queue.length = 0
    },
  }
}

/** Reads a fault from a test in another process, and checks one from this process alike. */
export function parseFault(input: Record<string, unknown>): Fault {
  const { target, behavior } = input
  if (!isOneOf(faultTargets, target)) throw bad(`target must be one of ${faultTargets.join(', ')}`)
  if (!isOneOf(faultBehaviors, behavior)) throw bad(`behavior must be one of ${faultBehaviors.join(', ')}`)
  const fault: Fault = { target, behavior }
  for (const [name, least, most] of numberFields) {
    const value = input[name]
    if (value === undefined) continue
    if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most) {
      throw bad(`${name} must be a whole number from ${least} to ${most}`)
    }
    fault[name] = value
  }
  if (input.location !== undefined) {
    if (typeof input.location !== 'string') throw bad('location must be text')
    fault.location = input.location
  }
  if (behavior === 'redirect' && !fault.location) throw bad('redirect needs a location')
  if (input.body !== undefined) fault.body = input.body
  return fault
}

const numberFields = [
  ['status', 200, 599],
  ['delay_ms', 0, 600_000],
  ['bytes', 1, 10 * 1024 ** 3],
  ['times', 1, 1_000_000],
] as const

function isOneOf<T extends string>(list: readonly T[], value: unknown): value is T {
  return list.some(known => known === value)
}

function bad(description: string): HttpError {
  return new HttpError(400, 'invalid_fault', description)
}
