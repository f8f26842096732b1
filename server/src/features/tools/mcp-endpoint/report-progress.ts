import { SECOND } from '../../../core/duration.ts'
import type { CallProgress } from '../admission/admit-call.ts'

/** How long a caller that was judged is told without being judged again. */
const JUDGED_FOR = SECOND

type Tell = (progress: CallProgress) => void
type Options = { judgedFor?: number; now?: () => number }

/**
 * A third party's words on the way are words of an answer: who was deactivated or lost its key meanwhile does not hear them.
 * Its caller was admitted a moment ago; from then on `mayHear` is asked, once a second at most. What comes while it is asked
 * waits, and the last of it is told.
 */
export const tellWhileAdmitted = (
  mayHear: () => Promise<boolean>,
  tell: Tell,
  { judgedFor = JUDGED_FOR, now = () => performance.now() }: Options = {},
): Tell => {
  let judgedAt = now()
  let judging = false
  let last: CallProgress | null = null

  const judge = async (): Promise<void> => {
    judging = true
    const may = await mayHear().catch(() => false)
    judging = false
    if (!may) return
    judgedAt = now()
    if (last) tell(last)
    last = null
  }
  return progress => {
    if (!judging && now() - judgedAt < judgedFor) return tell(progress)
    last = progress
    if (!judging) void judge()
  }
}
