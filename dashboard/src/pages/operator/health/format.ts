const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const

export const bytes = (count: number): string => {
  const unit = count < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(count) / 3))
  const value = count / 1000 ** unit
  return `${value.toLocaleString(undefined, { maximumFractionDigits: value < 10 && unit > 0 ? 1 : 0 })} ${UNITS[unit]}`
}

const MINUTE_SECONDS = 60
const HOUR_SECONDS = 60 * MINUTE_SECONDS
const DAY_SECONDS = 24 * HOUR_SECONDS

/** With the largest unit: "5 min", "3 h", "12 days". */
export const duration = (seconds: number): string => {
  if (seconds < MINUTE_SECONDS) return `${Math.round(seconds)} s`
  if (seconds < 2 * HOUR_SECONDS) return `${Math.round(seconds / MINUTE_SECONDS)} min`
  if (seconds < 2 * DAY_SECONDS) return `${Math.round(seconds / HOUR_SECONDS)} h`
  return `${Math.round(seconds / DAY_SECONDS)} days`
}

/** "every minute", "every 5 min", "every hour". */
export const every = (seconds: number): string => {
  if (seconds === MINUTE_SECONDS) return 'every minute'
  return seconds === HOUR_SECONDS ? 'every hour' : `every ${duration(seconds)}`
}
