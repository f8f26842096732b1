/** The end of an axis that starts at 0: a round number, so that its half is a whole number too. */
export const axisEnd = (max: number): number => {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, max))))
  const round = [1, 2, 4, 6, 8, 10].map(factor => factor * power).find(end => end >= max && end % 2 === 0)
  return round ?? 10 * power
}

const MAX_TICKS = 7
const MINUTE_STEPS = [15, 30, 60, 120, 180, 240, 360, 720, 1440]
const MINUTE = 60_000

/** The points that get a label: round times of the day, or every nth day. */
export const tickPositions = (times: readonly string[]): number[] => {
  const starts = times.map(at => Date.parse(at))
  const [first = 0, second = first] = starts
  const interval = second - first
  const positions = times.map((_, n) => n)
  if (interval < 1440 * MINUTE) {
    const minutes = (interval * times.length) / MINUTE
    const step = MINUTE_STEPS.find(each => minutes / each <= MAX_TICKS)
    if (step !== undefined) return positions.filter(n => minuteOfDay(starts[n] as number) % step === 0)
  }
  const every = Math.ceil(times.length / MAX_TICKS)
  return positions.filter(n => n % every === 0)
}

const minuteOfDay = (time: number): number => {
  const date = new Date(time)
  return date.getHours() * 60 + date.getMinutes()
}
