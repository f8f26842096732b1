import { HttpError } from './http/http-error.ts'

export const faultTargets = [
  'authorize',
  'token',
  'revoke',
  'userinfo',
  'notes',
  'tasks',
  'vault',
  'sites',
] as const
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
  /** The response status of 'status' (default: 503) and 'redirect' (default: 302). */
  status?: number
  /** The response body of 'status': text, or anything else as JSON. */
  body?: unknown
  /** Additional response headers of 'status', such as Retry-After. */
  headers?: Record<string, string>
  /** The next call waits for this promise; set by `hold`. */
  until?: Promise<void>
  /** The delay before the response. For 'late': the delay after the request was processed. */
  delay_ms?: number
  /** The target of 'redirect'. */
  location?: string
  /** The number of bytes that 'huge' sends. */
  bytes?: number
  /** The number of calls that it applies to. Default: 1. */
  times?: number
}

/** What happens to a call after it was released. */
export type HeldFault = Pick<Fault, 'behavior' | 'status' | 'body'>

export type Faults = {
  /** Adds a fault and returns its ID. */
  script: (fault: Fault) => number
  /** Makes the next call to this target wait, before or (for 'late') after it is processed. Returns the function that releases it. */
  hold: (target: FaultTarget, fault?: HeldFault) => () => void
  /** Removes and returns the fault for the next call to this target. */
  take: (target: FaultTarget) => Fault | undefined
  waiting: () => Fault[]
  /** Removes one fault. Default: all. */
  clear: (id?: number) => void
}

export function createFaults(): Faults {
  const queue: { id: number; fault: Fault; left: number }[] = []
  let lastId = 0
  return {
    script(fault) {
      const checked = parseFault(fault)
      queue.push({ id: ++lastId, fault: checked, left: checked.times ?? 1 })
      return lastId
    },
    hold(target, fault = { behavior: 'slow' }) {
      const { promise, resolve } = Promise.withResolvers<void>()
      queue.push({ id: ++lastId, fault: { ...fault, target, until: promise }, left: 1 })
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
    clear(id) {
      queue.splice(0, queue.length, ...queue.filter(pending => id !== undefined && pending.id !== id))
    },
  }
}

/** Validates a fault, whether it comes from this or another process. */
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
  if (behavior === 'redirect' && !fault.location) throw bad('redirect requires a location')
  if (input.body !== undefined) fault.body = input.body
  if (input.headers !== undefined) fault.headers = parseHeaders(input.headers)
  return fault
}

function parseHeaders(input: unknown): Record<string, string> {
  const entries = typeof input === 'object' && input !== null ? Object.entries(input) : null
  if (!entries?.every(([name, value]) => /^[\w-]+$/.test(name) && typeof value === 'string'))
    throw bad('headers must be an object of texts')
  return Object.fromEntries(entries)
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
