import { useEffect, useState } from 'react'

const UNITS: [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'long' })
const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const REFRESH_MS = 30_000

export const formatRelative = (time: number, now: number): string => {
  const seconds = Math.round((time - now) / 1000)
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1]
  return Math.abs(seconds) < 10 ? 'just now' : relative.format(Math.trunc(seconds / size), unit)
}

/** "3 minutes ago" or, with `isAbsolute`, date and time in the reader's time zone. UTC on hover. */
export const RelativeTime = ({ at, isAbsolute = false }: { at: string; isAbsolute?: boolean }) => {
  const now = useNow()
  const time = Date.parse(at)
  if (Number.isNaN(time)) return <span>{at}</span>
  const utc = `${new Date(time).toISOString().replace('T', ' ').replace('Z', '')} UTC`
  return (
    <time
      dateTime={at}
      title={isAbsolute ? utc : `${absolute.format(time)}\n${utc}`}
      className={isAbsolute ? undefined : 'whitespace-nowrap'}
    >
      {isAbsolute ? absolute.format(time) : formatRelative(time, now)}
    </time>
  )
}

/** One timer for all times of the page. */
const listeners = new Set<(now: number) => void>()
let timer: ReturnType<typeof setInterval> | undefined
const listen = (listener: (now: number) => void): (() => void) => {
  listeners.add(listener)
  timer ??= setInterval(() => {
    const now = Date.now()
    for (const notify of listeners) notify(now)
  }, REFRESH_MS)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** The current time, which advances every half minute. */
export const useNow = (): number => {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => listen(setNow), [])
  return now
}
