import { SECOND } from '../core/duration.ts'

/** Later than this, a timer was not late by chance: the process was stopped, or had no processor. */
const HELD_UP = SECOND
/** Enough to read what has arrived. */
const MOMENT = SECOND

/**
 * Aborts after so long, like `AbortSignal.timeout`. But a process that goes on after it was stopped meets its timers before
 * its sockets: an answer that has long arrived would be thrown away, and a refresh token with it.
 */
export const deadlineSignal = (milliseconds: number): AbortSignal => {
  const controller = new AbortController()
  const abort = () => controller.abort(new DOMException('The time is up.', 'TimeoutError'))
  const due = Date.now() + milliseconds
  setTimeout(() => {
    if (Date.now() < due + HELD_UP) abort()
    else setTimeout(abort, MOMENT).unref()
  }, milliseconds).unref()
  return controller.signal
}
