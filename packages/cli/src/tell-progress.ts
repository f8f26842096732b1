import type { Progress } from '@carabiner/server/operator'

const INTERVAL = 1000

/** How much of an audit trail has been looked at. */
type ChainProgress = { entries: number; all: number }

export type Teller = { tell: (progress: Progress | ChainProgress) => void; end: () => void }

type Screen = { write(text: string): unknown; isTTY?: boolean }

/** Progress goes to standard error, about once a second: what is piped on is the result, and nothing else. */
export const createTeller = (screen: Screen, { json }: { json: boolean }, clock = Date.now): Teller => {
  const rewrites = screen.isTTY === true && !json
  let last = Number.NEGATIVE_INFINITY
  let unfinishedLine = false
  return {
    tell: progress => {
      if (clock() - last < INTERVAL) return
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
