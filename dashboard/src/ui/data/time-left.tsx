import { useNow } from './relative-time.tsx'

const MINUTE_MS = 60_000
const MINUTES_PER_HOUR = 60

const unit = (name: 'minute' | 'hour') =>
  new Intl.NumberFormat(undefined, { style: 'unit', unit: name, unitDisplay: 'long' })
const minutes = unit('minute')
const hours = unit('hour')

/** "57 minutes", or "3 hours" from two hours on. Rounded, because `now` can be half a minute old. */
export const formatTimeLeft = (until: number, now: number): string => {
  const left = Math.max(1, Math.round((until - now) / MINUTE_MS))
  return left < 2 * MINUTES_PER_HOUR
    ? minutes.format(left)
    : hours.format(Math.floor(left / MINUTES_PER_HOUR))
}

/** The time until something ends. */
export const TimeLeft = ({ until }: { until: string }) => (
  <time dateTime={until} title={new Date(until).toLocaleString()} className="whitespace-nowrap">
    {formatTimeLeft(Date.parse(until), useNow())}
  </time>
)
