import { SECOND } from '../../core/duration.ts'

/** A timer that fires later than this shows that the process was stopped or had no CPU time. */
const STALL_THRESHOLD_MS = SECOND
/** Time to read data that has already arrived. */
const GRACE_MS = SECOND

export type Deadline = {
  signal: AbortSignal
  /** Stops the timer when the work is done, so that thousands of timers do not keep running. */
  end: () => void
}

/**
 * Like `AbortSignal.timeout`, but tolerates a stopped process. When such a process resumes, its timers fire before
 * its sockets are read, and a response that has already arrived, perhaps with a refresh token, would be discarded.
 * `outer` can abort earlier.
 */
export const startDeadline = (milliseconds: number, outer?: AbortSignal): Deadline => {
  const controller = new AbortController()
  const timeOut = () => controller.abort(new DOMException('The operation timed out.', 'TimeoutError'))
  const follow = () => controller.abort(outer?.reason)
  const dueAt = Date.now() + milliseconds
  let timer = setTimeout(() => {
    if (Date.now() < dueAt + STALL_THRESHOLD_MS) return timeOut()
    timer = setTimeout(timeOut, GRACE_MS).unref()
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
