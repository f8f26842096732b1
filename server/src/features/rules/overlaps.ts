import { FAR } from './context.ts'
import { ENTITIES } from './entities.ts'

const ORDER = new Map<string, number>(ENTITIES.map((entity, at) => [entity, at]))

type Contested = {
  entity: string
  start: number
  end: number
  alone: number
  together: number
  /** How far the nearest context word is. */
  distance: number
}

/**
 * Of matches that overlap one stays: that of the entity that matters most to the rules, then the longest, then the one with a
 * context word nearest, then the surest, then the first. The order in which they were found plays no part.
 */
export const resolveOverlaps = <M extends Contested>(
  matches: readonly M[],
  rankOf: (entity: string) => number,
): M[] => {
  const ordered = inOrder(matches)
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

/** They were found nearly in this order, and mostly in it. */
const inOrder = <M extends Contested>(matches: readonly M[]): readonly M[] => {
  for (let n = 1; n < matches.length; n++)
    if ((matches[n] as M).start < (matches[n - 1] as M).start)
      return matches.toSorted((a, b) => a.start - b.start)
  return matches
}

/** Of a cluster of matches that touch each other, directly or through others. */
const winners = <M extends Contested>(cluster: M[], rankOf: (entity: string) => number): readonly M[] => {
  const ranked = cluster.toSorted((a, b) => compare(a, b, rankOf))
  return inOrder(cluster.length > FEW ? takeByPlace(ranked) : takeByRival(ranked))
}

/** A text can be one long chain of matches: there each place is marked, so that a match is never held against all others. */
const FEW = 8

const takeByRival = <M extends Contested>(ranked: M[]): M[] => {
  const taken: M[] = []
  for (const match of ranked)
    if (!taken.some(({ start, end }) => match.start < end && start < match.end)) taken.push(match)
  return taken
}

const takeByPlace = <M extends Contested>(ranked: M[]): M[] => {
  const from = ranked.reduce((start, match) => Math.min(start, match.start), Number.POSITIVE_INFINITY)
  const places = new Uint8Array(ranked.reduce((end, match) => Math.max(end, match.end), 0) - from)
  return ranked.filter(({ start, end }) => {
    if (places.subarray(start - from, end - from).includes(1)) return false
    places.fill(1, start - from, end - from)
    return true
  })
}

const compare = (a: Contested, b: Contested, rankOf: (entity: string) => number): number =>
  rankOf(b.entity) - rankOf(a.entity) ||
  b.end - b.start - (a.end - a.start) ||
  a.distance - b.distance ||
  scoreOf(b) - scoreOf(a) ||
  a.start - b.start ||
  orderOf(a.entity) - orderOf(b.entity) ||
  (a.entity < b.entity ? -1 : 1)

/** A word nearby raises the score. */
export const scoreOf = ({
  alone,
  together,
  distance,
}: Pick<Contested, 'alone' | 'together' | 'distance'>): number => (distance < FAR ? together : alone)

const orderOf = (entity: string): number => ORDER.get(entity) ?? ORDER.size
