/** The result of one measurement. Latencies are in milliseconds. */
export type Figures = {
  perSecond: number
  p50: number
  p99: number
  responses: number
  /** Whether all requests were used before the time was up. The rate then covers the time until the last response. */
  exhausted: boolean
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
  responses: rounds.reduce((sum, { responses }) => sum + responses, 0),
  exhausted: rounds.some(({ exhausted }) => exhausted),
})
