/** The progress of a rotation. The rate is that of the current run, excluding earlier ones. */
export type Progress = {
  done: number
  all: number
  secrets: number
  perSecond: number
  secondsLeft: number | null
}

type RotationCounts = { usersDone: number; usersTotal: number; secretsDone: number }

export const progressOf = (
  before: RotationCounts,
  now: RotationCounts,
  elapsedMilliseconds: number,
): Progress => {
  const seconds = elapsedMilliseconds / 1000
  const perSecond = seconds > 0 ? (now.usersDone - before.usersDone) / seconds : 0
  // Users created during the rotation are counted once they are processed.
  const all = Math.max(now.usersTotal, now.usersDone)
  return {
    done: now.usersDone,
    all,
    secrets: now.secretsDone,
    perSecond,
    secondsLeft: perSecond > 0 ? (all - now.usersDone) / perSecond : null,
  }
}
