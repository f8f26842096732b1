/** What one measurement found. Latencies are in milliseconds. */
export type Figures = {
  perSecond: number
  p50: number
  p99: number
  answers: number
  /** There was nothing left to ask before the time was up; the rate is that of the time until then. */
  ranOut: boolean
}

/** `sorted` is in ascending order. */
export const percentile = (sorted: ArrayLike<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

export const median = (values: number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2
}

export const medianFigures = (rounds: Figures[]): Figures => ({
  perSecond: median(rounds.map(({ perSecond }) => perSecond)),
  p50: median(rounds.map(({ p50 }) => p50)),
  p99: median(rounds.map(({ p99 }) => p99)),
  answers: rounds.reduce((sum, { answers }) => sum + answers, 0),
  ranOut: rounds.some(({ ranOut }) => ranOut),
})
