import type { Progress } from '@carabiner/server/operator'

const REPORT_INTERVAL_MS = 1000

/** Progress of the verification of an audit trail. */
type ChainProgress = { entries: number; all: number }

export type ProgressReporter = { report: (progress: Progress | ChainProgress) => void; end: () => void }

type Screen = { write(text: string): unknown; isTTY?: boolean }

/** Progress is written to standard error about once a second, so that standard output contains only the result. */
export const createProgressReporter = (
  screen: Screen,
  { json }: { json: boolean },
  clock = Date.now,
): ProgressReporter => {
  const rewrites = screen.isTTY === true && !json
  let last = Number.NEGATIVE_INFINITY
  let unfinishedLine = false
  return {
    report: progress => {
      if (clock() - last < REPORT_INTERVAL_MS) return
      last = clock()
      const text = json ? JSON.stringify(forPrograms(progress)) : describeProgress(progress)
      screen.write(rewrites ? `\r\u001b[K${text}` : `${text}\n`)
      unfinishedLine = rewrites
    },
    end: () => {
      if (unfinishedLine) screen.write('\n')
    },
  }
}

const describeProgress = (progress: Progress | ChainProgress): string => {
  if ('entries' in progress) return `${progress.entries} of ${progress.all} entries`
  const { done, all, secrets, perSecond, secondsLeft } = progress
  return `${done} of ${all} users, ${secrets} secrets, ${Math.round(perSecond)} users/s${secondsLeft === null ? '' : `, about ${Math.ceil(secondsLeft)} s left`}`
}

const forPrograms = (progress: Progress | ChainProgress) => {
  if ('entries' in progress) return progress
  const { done, all, secrets, perSecond, secondsLeft } = progress
  return {
    done,
    all,
    secrets,
    per_second: Math.round(perSecond),
    seconds_left: secondsLeft === null ? null : Math.ceil(secondsLeft),
  }
}
