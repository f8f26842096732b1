import { SECOND } from '../../core/duration.ts'
import type { JsonObject } from '../../core/json/object.ts'
import { cleanLine } from './text.ts'

export type Progress = { progress: number; total?: number; message?: string }

const MAX_PER_SECOND = 10
const MAX_PER_CALL = 1000
const MAX_MESSAGE_LENGTH = 300

/**
 * Forwards valid progress notifications of one call, including its retries: increasing numbers, cleaned messages, and
 * a limited rate and count.
 */
export const createProgressFilter = (
  emit: (progress: Progress) => void,
  now: () => number = () => performance.now(),
): ((notification: JsonObject) => void) => {
  let last = Number.NEGATIVE_INFINITY
  let count = 0
  const recent: number[] = []
  return ({ progress, total, message }) => {
    if (!isFiniteNumber(progress) || progress <= last || count >= MAX_PER_CALL) return
    while (recent[0] !== undefined && recent[0] <= now() - SECOND) recent.shift()
    if (recent.length >= MAX_PER_SECOND) return
    recent.push(now())
    count++
    last = progress
    const cleaned = typeof message === 'string' ? cleanLine(message, MAX_MESSAGE_LENGTH) : ''
    emit({ progress, ...(isFiniteNumber(total) && { total }), ...(cleaned && { message: cleaned }) })
  }
}

const isFiniteNumber = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value)
