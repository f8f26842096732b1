import { SECOND } from '../../../core/duration.ts'
import type { CallProgress } from '../admission/admit-call.ts'

/** Progress is forwarded for this time after a check of the caller. */
const CHECK_INTERVAL_MS = SECOND

type Report = (progress: CallProgress) => void
type Options = { checkIntervalMs?: number; now?: () => number }

/**
 * Progress messages contain provider data, so a caller that was deactivated or lost its key must not receive them. `isAdmitted` is
 * checked at most once per second. Of the messages that arrive during a check, the latest is sent afterwards.
 */
export const reportWhileAdmitted = (
  isAdmitted: () => Promise<boolean>,
  report: Report,
  { checkIntervalMs = CHECK_INTERVAL_MS, now = () => performance.now() }: Options = {},
): Report => {
  let checkedAt = now()
  let checking = false
  let last: CallProgress | null = null

  const check = async (): Promise<void> => {
    checking = true
    const admitted = await isAdmitted().catch(() => false)
    checking = false
    if (!admitted) return
    checkedAt = now()
    if (last) report(last)
    last = null
  }
  return progress => {
    if (!checking && now() - checkedAt < checkIntervalMs) return report(progress)
    last = progress
    if (!checking) void check()
  }
}
