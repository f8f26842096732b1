import { SECOND } from '../../../core/duration.ts'
import type { ToolCall } from '../admission/admit-call.ts'

const PROGRESS_INTERVAL_MS = 10 * SECOND

/** `total` and `waited` in seconds, `left` in milliseconds. */
export type Clock = { total: number; waited: () => number; left: () => number }

export const startClock = (total: number): Clock => {
  const startedAt = performance.now()
  const waited = () => (performance.now() - startedAt) / SECOND
  return { total, waited, left: () => (total - waited()) * SECOND }
}

/** Sends progress at once and periodically while the call waits, because clients time out without it. */
export const whileWaiting = async <T>(
  { onProgress }: ToolCall,
  message: string,
  clock: Clock,
  wait: () => Promise<T>,
): Promise<T> => {
  const report = () => onProgress?.({ progress: clock.waited(), total: clock.total, message })
  report()
  const reporting = setInterval(report, PROGRESS_INTERVAL_MS)
  try {
    return await wait()
  } finally {
    clearInterval(reporting)
  }
}

/** "Progress" must increase with each notification, so the provider's progress continues where the wait ended. */
export const progressAfter = ({ onProgress }: ToolCall, waited: number): ToolCall['onProgress'] =>
  onProgress &&
  (({ progress, total, ...rest }) => {
    if (progress < 0) return
    onProgress({
      ...rest,
      progress: waited + progress,
      ...(total !== undefined && { total: waited + total }),
    })
  })
