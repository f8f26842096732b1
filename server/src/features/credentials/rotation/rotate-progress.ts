/** How far a rotation is. The rate is that of this run, however much an earlier one had done. */
export type Progress = {
  done: number
  all: number
  secrets: number
  perSecond: number
  secondsLeft: number | null
}

type Counted = { users_done: number; users_total: number; secrets_done: number }

export const progressOf = (before: Counted, now: Counted, elapsedMilliseconds: number): Progress => {
  const seconds = elapsedMilliseconds / 1000
  const perSecond = seconds > 0 ? (now.users_done - before.users_done) / seconds : 0
  // Users who come while it runs are counted when they have had their turn.
  const all = Math.max(now.users_total, now.users_done)
  return {
    done: now.users_done,
    all,
    secrets: now.secrets_done,
    perSecond,
    secondsLeft: perSecond > 0 ? (all - now.users_done) / perSecond : null,
  }
}
