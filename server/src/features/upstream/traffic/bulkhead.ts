import { SECOND } from '../../../core/duration.ts'

/** Limits the calls in flight, and those queued, for each key. Calls that hang use up the slots of their own key only. */
export type Bulkhead = {
  /**
   * Resolves to the function that releases the slot, or to null if the queue is full, the wait times out or the
   * signal aborts.
   */
  enter(key: string, signal: AbortSignal): Promise<(() => void) | null>
}

type Options = { maxInFlight?: number; maxQueued?: number; queueTimeoutMs?: number }
type Compartment = { inFlight: number; queue: (() => void)[] }

export const createBulkhead = ({
  maxInFlight = 64,
  maxQueued = 64,
  queueTimeoutMs = 5 * SECOND,
}: Options = {}): Bulkhead => {
  const compartments = new Map<string, Compartment>()

  const release = (key: string, compartment: Compartment) => () => {
    const next = compartment.queue.shift()
    // The slot passes directly to the first queued call, so that a new call cannot take it.
    if (next) return next()
    compartment.inFlight--
    if (compartment.inFlight === 0) compartments.delete(key)
  }

  return {
    enter: async (key, signal) => {
      const compartment = compartments.get(key) ?? { inFlight: 0, queue: [] }
      if (compartment.inFlight < maxInFlight) {
        compartments.set(key, compartment)
        compartment.inFlight++
        return release(key, compartment)
      }
      if (compartment.queue.length >= maxQueued || signal.aborted) return null
      return (await waitForSlot(compartment.queue, queueTimeoutMs, signal)) ? release(key, compartment) : null
    },
  }
}

const waitForSlot = (queue: (() => void)[], timeoutMs: number, signal: AbortSignal): Promise<boolean> =>
  new Promise(resolve => {
    const settle = (granted: boolean) => () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', cancel)
      const position = queue.indexOf(grant)
      if (position !== -1) queue.splice(position, 1)
      resolve(granted)
    }
    const grant = settle(true)
    const cancel = settle(false)
    const timer = setTimeout(cancel, timeoutMs)
    signal.addEventListener('abort', cancel, { once: true })
    queue.push(grant)
  })
