import { Input } from '../forms/input.tsx'
import { Filter } from './filter.tsx'

export type RangeName = '1h' | '24h' | '7d' | '30d' | 'custom'
export type Range = { range: RangeName; from?: string; to?: string }

const OPTIONS = [
  { value: '24h', label: 'Last 24 hours' },
  { value: '1h', label: 'Last hour' },
  { value: '7d', label: 'Last 7 days' },
  { value: '30d', label: 'Last 30 days' },
  { value: 'custom', label: 'Custom' },
] as const satisfies readonly { value: RangeName; label: string }[]

const HOURS: Record<Exclude<RangeName, 'custom'>, number> = { '1h': 1, '24h': 24, '7d': 168, '30d': 720 }

/** The limits of a range as ISO 8601, for the API. `to` is exclusive and undefined for "until now". */
export const limitsOf = ({ range, from, to }: Range, now: number): { since?: string; until?: string } => {
  if (range !== 'custom') return { since: new Date(now - HOURS[range] * 3_600_000).toISOString() }
  return { ...(isDate(from) && { since: localDay(from, 0) }), ...(isDate(to) && { until: localDay(to, 1) }) }
}

const isDate = (day: string | undefined): day is string => /^\d{4}-\d{2}-\d{2}$/.test(day ?? '')

/** Days are those of the reader's time zone. */
const localDay = (day: string, offset: number): string => {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date + offset).toISOString()
}

/** A choice of periods. Keep the value in the URL. */
export const DateRange = ({ value, onChange }: { value: Range; onChange: (range: Range) => void }) => (
  <div className="flex flex-wrap items-center gap-2">
    <Filter
      label="Period"
      value={value.range}
      options={OPTIONS}
      onChange={range => onChange(range === 'custom' ? { ...value, range } : { range })}
    />
    {value.range === 'custom' && (
      <>
        {(['from', 'to'] as const).map(side => (
          <Input
            key={side}
            type="date"
            aria-label={side === 'from' ? 'First day' : 'Last day'}
            value={value[side] ?? ''}
            onChange={event => onChange({ ...value, [side]: event.target.value })}
            className="w-auto"
          />
        ))}
      </>
    )}
  </div>
)
