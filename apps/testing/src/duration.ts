/** Milliseconds, or text such as `31 minutes`, `90 s` or `1 day 6 hours`. */
export type Duration = number | string

const SECOND = 1000
const UNITS: [pattern: RegExp, milliseconds: number][] = [
  [/^(?:ms|milliseconds?)$/, 1],
  [/^(?:s|sec|seconds?)$/, SECOND],
  [/^(?:m|min|minutes?)$/, 60 * SECOND],
  [/^(?:h|hours?)$/, 3600 * SECOND],
  [/^(?:d|days?)$/, 86_400 * SECOND],
]

export const parseDuration = (duration: Duration): number => {
  const milliseconds = typeof duration === 'number' ? duration : sumParts(duration)
  if (Number.isFinite(milliseconds) && milliseconds >= 0) return milliseconds
  throw new RangeError(
    `"${duration}" is not a duration. Use milliseconds, or a text such as "31 minutes" or "1 day 6 hours".`,
  )
}

const sumParts = (text: string): number => {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/gi)]
  const rest = text.replaceAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/gi, '').trim()
  if (parts.length === 0 || rest !== '') return Number.NaN
  return parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * millisecondsOf(unit), 0)
}

const millisecondsOf = (unit: string): number =>
  UNITS.find(([pattern]) => pattern.test(unit.toLowerCase()))?.[1] ?? Number.NaN
