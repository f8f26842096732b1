const REPORT_INTERVAL_MS = 1000

/** Progress of a key rotation. */
type RotationProgress = {
  done: number
  all: number
  secrets: number
  perSecond: number
  secondsLeft: number | null
}
/** Progress of a backup, an archive or a deletion. */
type RowProgress = { table: string; rows: number; allRows: number | null }
/** Progress of the verification of an audit trail. */
type ChainProgress = { entries: number; all: number }
/** Tokens that the service has not yet revoked at their providers. */
type RevocationProgress = { pendingRevocations: number }
type AnyProgress = RotationProgress | ChainProgress | RowProgress | RevocationProgress

export type ProgressReporter = { report: (progress: AnyProgress) => void; end: () => void }

type Screen = { write(text: string): unknown; isTTY?: boolean; columns?: number }

const BAR_WIDTH = 20

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
      screen.write(rewrites ? `\r\u001b[K${withBar(progress, text, screen.columns)}` : `${text}\n`)
      unfinishedLine = rewrites
    },
    end: () => {
      if (unfinishedLine) screen.write('\n')
    },
  }
}

/** On a terminal, the share that is done is shown as a bar. A line that wraps could not be rewritten. */
const withBar = (progress: AnyProgress, text: string, columns = 80): string => {
  const share = shareOf(progress)
  if (share === null) return text.slice(0, columns - 1)
  const filled = Math.round(share * BAR_WIDTH)
  const bar = `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)}`
  return `${bar} ${String(Math.floor(share * 100)).padStart(3)} %  ${text}`.slice(0, columns - 1)
}

/** Null: the total is unknown. */
const shareOf = (progress: AnyProgress): number | null => {
  if ('pendingRevocations' in progress) return null
  const [done, all] =
    'table' in progress
      ? [progress.rows, progress.allRows]
      : ['entries' in progress ? progress.entries : progress.done, progress.all]
  return all === null || all === 0 ? null : Math.min(1, done / all)
}

const describeProgress = (progress: AnyProgress): string => {
  if ('entries' in progress) return `${progress.entries} of ${progress.all} entries`
  if ('pendingRevocations' in progress)
    return `waiting for the service to revoke ${progress.pendingRevocations} tokens at their providers`
  if ('table' in progress) {
    const { table, rows, allRows } = progress
    return `${rows}${allRows === null ? '' : ` of ${allRows}`} rows, ${table}`
  }
  const { done, all, secrets, perSecond, secondsLeft } = progress
  return `${done} of ${all} users, ${secrets} secrets, ${Math.round(perSecond)} users/s${secondsLeft === null ? '' : `, about ${Math.ceil(secondsLeft)} s left`}`
}

const forPrograms = (progress: AnyProgress) => {
  if ('entries' in progress) return progress
  if ('pendingRevocations' in progress) return { pending_revocations: progress.pendingRevocations }
  if ('table' in progress) return { table: progress.table, rows: progress.rows, all_rows: progress.allRows }
  const { done, all, secrets, perSecond, secondsLeft } = progress
  return {
    done,
    all,
    secrets,
    per_second: Math.round(perSecond),
    seconds_left: secondsLeft === null ? null : Math.ceil(secondsLeft),
  }
}
