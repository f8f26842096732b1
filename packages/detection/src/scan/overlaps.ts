import { ENTITIES } from '../rules/entities.ts'
import { NO_CONTEXT } from './context.ts'

const ORDER = new Map<string, number>(ENTITIES.map((entity, at) => [entity, at]))

type Overlapping = {
  entity: string
  start: number
  end: number
  baseScore: number
  contextScore: number
  /** The distance of the nearest context word. */
  distance: number
}

/**
 * Keeps one of several overlapping matches: the one with the highest rank, then the longest, then the one with the nearest
 * context word, then the one with the highest score, then the first. The order of the input does not matter.
 */
export const resolveOverlaps = <M extends Overlapping>(
  matches: readonly M[],
  rankOf: (entity: string) => number,
): M[] => {
  const ordered = sortByStart(matches)
  const kept: M[] = []
  for (let at = 0; at < ordered.length; ) {
    const first = at
    let { end } = ordered[at++] as M
    for (; at < ordered.length && (ordered[at] as M).start < end; at++)
      end = Math.max(end, (ordered[at] as M).end)
    if (at - first === 1) kept.push(ordered[first] as M)
    else for (const winner of winners(ordered.slice(first, at), rankOf)) kept.push(winner)
  }
  return kept
}

/** Matches are mostly sorted already. */
const sortByStart = <M extends Overlapping>(matches: readonly M[]): readonly M[] => {
  for (let n = 1; n < matches.length; n++)
    if ((matches[n] as M).start < (matches[n - 1] as M).start)
      return matches.toSorted((a, b) => a.start - b.start)
  return matches
}

/** Selects from a cluster of matches that overlap each other, directly or through others. */
const winners = <M extends Overlapping>(cluster: M[], rankOf: (entity: string) => number): readonly M[] => {
  const ranked = cluster.toSorted((a, b) => compare(a, b, rankOf))
  return sortByStart(cluster.length > MAX_PAIRWISE ? selectByPosition(ranked) : selectPairwise(ranked))
}

/** In larger clusters the covered positions are marked, because comparing all pairs would take quadratic time. */
const MAX_PAIRWISE = 8

const selectPairwise = <M extends Overlapping>(ranked: M[]): M[] => {
  const selected: M[] = []
  for (const match of ranked)
    if (!selected.some(({ start, end }) => match.start < end && start < match.end)) selected.push(match)
  return selected
}

const selectByPosition = <M extends Overlapping>(ranked: M[]): M[] => {
  const from = ranked.reduce((start, match) => Math.min(start, match.start), Number.POSITIVE_INFINITY)
  const covered = new Uint8Array(ranked.reduce((end, match) => Math.max(end, match.end), 0) - from)
  return ranked.filter(({ start, end }) => {
    if (covered.subarray(start - from, end - from).includes(1)) return false
    covered.fill(1, start - from, end - from)
    return true
  })
}

const compare = (a: Overlapping, b: Overlapping, rankOf: (entity: string) => number): number =>
  rankOf(b.entity) - rankOf(a.entity) ||
  b.end - b.start - (a.end - a.start) ||
  a.distance - b.distance ||
  scoreOf(b) - scoreOf(a) ||
  a.start - b.start ||
  orderOf(a.entity) - orderOf(b.entity) ||
  (a.entity < b.entity ? -1 : 1)

export const scoreOf = ({
  baseScore,
  contextScore,
  distance,
}: Pick<Overlapping, 'baseScore' | 'contextScore' | 'distance'>): number =>
  distance < NO_CONTEXT ? contextScore : baseScore

const orderOf = (entity: string): number => ORDER.get(entity) ?? ORDER.size
