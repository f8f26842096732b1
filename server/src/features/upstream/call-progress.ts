import { SECOND } from '../../core/duration.ts'
import type { JsonObject } from './json.ts'
import { cleanLine } from './text.ts'

export type Progress = { progress: number; total?: number; message?: string }

const MOST_PER_SECOND = 10
const MOST_IN_ALL = 1000
const LONGEST_MESSAGE = 300

/**
 * Lets through what a third party says of its progress as far as it is progress: numbers that grow, words that can be shown,
 * and no more of either than somebody can follow. It lasts for one call with all its tries.
 */
export const hearProgress = (
  tell: (progress: Progress) => void,
  now: () => number = () => performance.now(),
): ((told: JsonObject) => void) => {
  let last = Number.NEGATIVE_INFINITY
  let count = 0
  const recent: number[] = []
  return ({ progress, total, message }) => {
    if (!isFiniteNumber(progress) || progress <= last || count >= MOST_IN_ALL) return
    while (recent[0] !== undefined && recent[0] <= now() - SECOND) recent.shift()
    if (recent.length >= MOST_PER_SECOND) return
    recent.push(now())
    count++
    last = progress
    const words = typeof message === 'string' ? cleanLine(message, LONGEST_MESSAGE) : ''
    tell({ progress, ...(isFiniteNumber(total) && { total }), ...(words && { message: words }) })
  }
}

const isFiniteNumber = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value)
