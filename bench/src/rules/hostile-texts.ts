import { scanText } from '@carabiner/detection'
import { HOSTILE_PIECES, repeated } from '../../../packages/detection/test/hostile-pieces.ts'
import { defaultRules } from '../../../packages/detection/test/rule-sets.ts'
import { cpuMilliseconds } from '../../../server/test/support/cpu-time.ts'

const MEGABYTE = 1_000_000
const ROUNDS = 3
const REPORTED = 5

/** The slowest hostile texts, each with its fastest round. */
export const slowestHostileTexts = (): { piece: string; milliseconds: number }[] =>
  HOSTILE_PIECES.map(piece => {
    const text = repeated(piece, MEGABYTE)
    const rounds = Array.from({ length: ROUNDS }, () => cpuMilliseconds(() => scanText(text, defaultRules)))
    return { piece, milliseconds: Math.min(...rounds) }
  })
    .toSorted((a, b) => b.milliseconds - a.milliseconds)
    .slice(0, REPORTED)
