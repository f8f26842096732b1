import { SECOND } from '../../../core/duration.ts'

/**
 * How many calls may be in flight at once for one key, and how many may queue. Calls that hang fill their own
 * compartment and nobody else's.
 */
export type Bulkhead = {
  /** Returns the function that releases the slot, or null if there is none in time. */
  enter(key: string, signal: AbortSignal): Promise<(() => void) | null>
}

type Options = { most?: number; mostWaiting?: number; longestWait?: number }
type Compartment = { under: number; waiting: (() => void)[] }

export const createBulkhead = ({
  most = 64,
  mostWaiting = 64,
  longestWait = 5 * SECOND,
}: Options = {}): Bulkhead => {
  const compartments = new Map<string, Compartment>()

  const leave = (key: string, compartment: Compartment) => () => {
    const next = compartment.waiting.shift()
    // The place goes from hand to hand: nobody who comes now takes it from who has waited.
    if (next) return next()
    compartment.under--
    if (compartment.under === 0) compartments.delete(key)
  }

  return {
    enter: async (key, signal) => {
      const compartment = compartments.get(key) ?? { under: 0, waiting: [] }
      if (compartment.under < most) {
        compartments.set(key, compartment)
        compartment.under++
        return leave(key, compartment)
      }
      if (compartment.waiting.length >= mostWaiting || signal.aborted) return null
      return (await waitInLine(compartment.waiting, longestWait, signal)) ? leave(key, compartment) : null
    },
  }
}

const waitInLine = (line: (() => void)[], longest: number, signal: AbortSignal): Promise<boolean> =>
  new Promise(resolve => {
    const end = (got: boolean) => () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', giveUp)
      const place = line.indexOf(admitted)
      if (place !== -1) line.splice(place, 1)
      resolve(got)
    }
    const admitted = end(true)
    const giveUp = end(false)
    const timer = setTimeout(giveUp, longest)
    signal.addEventListener('abort', giveUp, { once: true })
    line.push(admitted)
  })
