import { SECOND } from '../../core/duration.ts'

/** Later than this, a timer was not late by chance: the process was stopped, or had no processor. */
const HELD_UP = SECOND
/** Enough to read what has arrived. */
const MOMENT = SECOND

export type Deadline = {
  signal: AbortSignal
  /** What it was for is done. Thousands of timers would otherwise run on for a minute, and each abort what nobody waits for. */
  end: () => void
}

/**
 * Aborts after so long, like `AbortSignal.timeout`. But a process that goes on after it was stopped meets its timers before
 * its sockets: an answer that has long arrived would be thrown away, and a refresh token with it. `outer` aborts it earlier.
 */
export const startDeadline = (milliseconds: number, outer?: AbortSignal): Deadline => {
  const controller = new AbortController()
  const timeOut = () => controller.abort(new DOMException('The time is up.', 'TimeoutError'))
  const follow = () => controller.abort(outer?.reason)
  const due = Date.now() + milliseconds
  let timer = setTimeout(() => {
    if (Date.now() < due + HELD_UP) return timeOut()
    timer = setTimeout(timeOut, MOMENT).unref()
  }, milliseconds).unref()
  if (outer?.aborted) follow()
  else outer?.addEventListener('abort', follow, { once: true })
  return {
    signal: controller.signal,
    end: () => {
      clearTimeout(timer)
      outer?.removeEventListener('abort', follow)
    },
  }
}
