import { ENTITIES } from './entities.ts'

const ORDER = new Map<string, number>(ENTITIES.map((entity, at) => [entity, at]))

type Contested = {
  entity: string
  start: number
  end: number
  score: number /** How far the nearest context word is. */
  distance: number
}

/**
 * Of matches that overlap one stays: that of the entity that matters most to the rules, then the longest, then the one with a
 * context word nearest, then the surest, then the first. The order in which they were found plays no part.
 */
export const resolveOverlaps = <M extends Contested>(
  matches: M[],
  rankOf: (entity: string) => number,
): M[] => {
  if (matches.length < 2) return matches
  const ranked = matches.toSorted(
    (a, b) =>
      rankOf(b.entity) - rankOf(a.entity) ||
      b.end - b.start - (a.end - a.start) ||
      a.distance - b.distance ||
      b.score - a.score ||
      a.start - b.start ||
      orderOf(a.entity) - orderOf(b.entity) ||
      (a.entity < b.entity ? -1 : 1),
  )
  return keepFree(ranked).toSorted((a, b) => a.start - b.start)
}

const orderOf = (entity: string): number => ORDER.get(entity) ?? ORDER.size

/** Taken spans do not overlap, so that the neighbours of a place say whether it is free. */
const keepFree = <M extends Contested>(ranked: M[]): M[] => {
  const clusters = clusterOf(ranked)
  const kept: M[] = []
  const taken = new Map<number, M[]>()
  for (const match of ranked) {
    const cluster = clusters.get(match) as number
    const rivals = taken.get(cluster) ?? []
    if (rivals.some(rival => match.start < rival.end && rival.start < match.end)) continue
    rivals.push(match)
    taken.set(cluster, rivals)
    kept.push(match)
  }
  return kept
}

/** Matches that touch each other directly or through others; those of different clusters never meet. */
const clusterOf = <M extends Contested>(matches: M[]): Map<M, number> => {
  const clusters = new Map<M, number>()
  let end = -1
  let cluster = 0
  for (const match of matches.toSorted((a, b) => a.start - b.start)) {
    if (match.start >= end) cluster++
    end = Math.max(end, match.end)
    clusters.set(match, cluster)
  }
  return clusters
}
