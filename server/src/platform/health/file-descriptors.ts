import { readdirSync, readFileSync } from 'node:fs'
import { SECOND } from '../../core/duration.ts'
import type { Log } from '../log.ts'

/** Connections, files and listeners of this process, and how many it may have. */
export type FileDescriptors = { open: number; max: number }

/** Every caller, provider and database connection needs one. Node raises the limit to what the system allows. */
export const MIN_FILE_DESCRIPTORS = 4096

/** The system has no free descriptor, for this process (EMFILE) or at all (ENFILE). */
export const isOutOfDescriptors = (error: unknown): boolean =>
  ['EMFILE', 'ENFILE'].includes((error as NodeJS.ErrnoException | null)?.code ?? '')

/** Null on systems without /proc. */
export const readFileDescriptors = (): FileDescriptors | null => {
  const max = readLimit()
  if (max === null) return null
  try {
    return { open: readdirSync('/proc/self/fd').length, max }
  } catch (error) {
    // Listing them needs one as well.
    return isOutOfDescriptors(error) ? { open: max, max } : null
  }
}

let limit: number | null | undefined
/** It does not change while the process runs, and cannot be read without a free descriptor. */
const readLimit = (): number | null => {
  if (limit !== undefined) return limit
  try {
    const [, soft = ''] =
      /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    limit = soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft) || null
  } catch {
    limit = null
  }
  return limit
}

export const usedShare = ({ open, max }: FileDescriptors): number => open / max

const CHECK_INTERVAL_MS = 5 * SECOND
const NEARLY_ALL = 0.9
const ENOUGH = 0.8
const ADVICE =
  'Raise it: LimitNOFILE of systemd, ulimit -n of a shell, --ulimit nofile of a container. Otherwise new connections are closed without an answer.'

type WatchOptions = {
  log: Pick<Log, 'warn' | 'error'>
  read?: () => FileDescriptors | null
  intervalMs?: number
}

/**
 * Logs a limit that is too low, and once each time that nearly all are in use. The operating system closes further connections without an
 * error in this process.
 */
export const watchFileDescriptors = ({
  log,
  read = readFileDescriptors,
  intervalMs = CHECK_INTERVAL_MS,
}: WatchOptions): { check: () => void; stop: () => void } => {
  const first = read()
  if (first && first.max < MIN_FILE_DESCRIPTORS)
    log.warn({ count: first.max }, `this process may open only ${first.max} files and connections. ${ADVICE}`)
  let isReported = false
  const check = (): void => {
    const found = read()
    if (!found) return
    const share = usedShare(found)
    if (share >= NEARLY_ALL && !isReported) {
      isReported = true
      log.error(
        { count: found.open, alert: 'file_descriptors_exhausted' },
        `${found.open} of ${found.max} files and connections are in use. ${ADVICE}`,
      )
    }
    if (share < ENOUGH) isReported = false
  }
  const timer = setInterval(check, intervalMs).unref()
  return { check, stop: () => clearInterval(timer) }
}
