import type { RuleViolationSummary } from '@carabiner/sdk'

const DAY_MS = 86_400_000
const format = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' })

/** One bar per day. The figures are also the accessible text. */
export const DayBars = ({ summary }: { summary: RuleViolationSummary }) => {
  const days = daysOf(summary)
  const max = Math.max(1, ...days.map(({ total }) => total))
  const sum = days.reduce((total, day) => total + day.total, 0)
  const label = (day: string): string => format.format(Date.parse(day))
  return (
    <figure className="grid gap-2">
      <div
        role="img"
        aria-label={`${sum} violations in ${days.length} days, at most ${max} on one day`}
        className="flex h-36 items-end gap-[3px]"
      >
        {days.map(({ day, total }) => (
          <span
            key={day}
            title={`${label(day)}: ${total}`}
            className="min-w-0 flex-1 rounded-t-[3px] bg-fill-redacted"
            style={{ height: total === 0 ? 1 : `${Math.max(3, (total / max) * 100)}%` }}
          />
        ))}
      </div>
      <figcaption className="flex justify-between text-xs text-muted">
        <span>{label(summary.first_day)}</span>
        <span>{label(summary.last_day)}</span>
      </figcaption>
    </figure>
  )
}

const daysOf = ({ first_day, last_day, data }: RuleViolationSummary): { day: string; total: number }[] => {
  const totals = new Map<string, number>()
  for (const { day, violations } of data) totals.set(day, (totals.get(day) ?? 0) + violations)
  const count = Math.round((Date.parse(last_day) - Date.parse(first_day)) / DAY_MS) + 1
  return Array.from({ length: count }, (_, n) => {
    const day = new Date(Date.parse(first_day) + n * DAY_MS).toISOString().slice(0, 10)
    return { day, total: totals.get(day) ?? 0 }
  })
}
