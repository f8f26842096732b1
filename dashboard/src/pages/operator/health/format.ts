const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const

export const bytes = (count: number): string => {
  const unit = count < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(count) / 3))
  const value = count / 1000 ** unit
  return `${value.toLocaleString(undefined, { maximumFractionDigits: value < 10 && unit > 0 ? 1 : 0 })} ${UNITS[unit]}`
}

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** With the largest unit: "5 min", "3 h", "12 days". */
export const duration = (seconds: number): string => {
  if (seconds < MINUTE) return `${Math.round(seconds)} s`
  if (seconds < 2 * HOUR) return `${Math.round(seconds / MINUTE)} min`
  if (seconds < 2 * DAY) return `${Math.round(seconds / HOUR)} h`
  return `${Math.round(seconds / DAY)} days`
}

/** "every minute", "every 5 min", "every hour". */
export const every = (seconds: number): string => {
  if (seconds === MINUTE) return 'every minute'
  return seconds === HOUR ? 'every hour' : `every ${duration(seconds)}`
}
