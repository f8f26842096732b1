/** The progress of a rotation. The rate is that of the current run, excluding earlier ones. */
export type Progress = {
  done: number
  all: number
  secrets: number
  perSecond: number
  secondsLeft: number | null
}

type RotationCounts = { users_done: number; users_total: number; secrets_done: number }

export const progressOf = (
  before: RotationCounts,
  now: RotationCounts,
  elapsedMilliseconds: number,
): Progress => {
  const seconds = elapsedMilliseconds / 1000
  const perSecond = seconds > 0 ? (now.users_done - before.users_done) / seconds : 0
  // Users created during the rotation are counted once they are processed.
  const all = Math.max(now.users_total, now.users_done)
  return {
    done: now.users_done,
    all,
    secrets: now.secrets_done,
    perSecond,
    secondsLeft: perSecond > 0 ? (all - now.users_done) / perSecond : null,
  }
}
