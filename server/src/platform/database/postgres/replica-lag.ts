export type ReplicaLag = {
  /** The position of the primary in its write-ahead log, read after this time. */
  recordPrimary(at: number, position: bigint): void
  recordReplica(position: bigint): void
  /** An upper bound: changes committed longer ago are visible on the replica. */
  lagAt(now: number): number
}

/**
 * Compares positions of the primary over time with the position of the replica. This needs no synchronized clocks, and
 * an idle primary causes no lag, unlike the time of the last replayed transaction, which grows while nothing is missing.
 */
export const createReplicaLag = (maxLagMs: number): ReplicaLag => {
  let samples: { at: number; position: bigint }[] = []
  let freshAt = Number.NEGATIVE_INFINITY
  return {
    recordPrimary: (at, position) => {
      // A replica that has only reached older positions is not used anyway.
      samples = samples.filter(sample => sample.at >= at - maxLagMs)
      samples.push({ at, position })
    },
    recordReplica: position => {
      const reached = samples.findLastIndex(sample => sample.position <= position)
      if (reached === -1) return
      freshAt = samples[reached]?.at ?? freshAt
      samples = samples.slice(reached)
    },
    lagAt: now => now - freshAt,
  }
}
