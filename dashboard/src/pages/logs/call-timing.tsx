import type { ToolCallRecord } from '@carabiner/sdk'
import { cx } from '../../ui/cx.ts'
import { formatMs } from './call-row.ts'

type Part = { name: string; ms: number | null; fill: string }

/** The three durations that a record has. They do not overlap, and their sum is the time of the call. */
const partsOf = (call: ToolCallRecord): Part[] => [
  { name: 'Gateway', ms: call.gateway_ms, fill: 'bg-fill-auth' },
  { name: 'Security rules', ms: call.rules_ms, fill: 'bg-fill-redacted' },
  {
    name: 'Provider',
    ms: call.third_party_ms,
    fill: call.outcome === 'error' ? 'bg-fill-error' : 'bg-fill-success',
  },
]

/** Where the time of a call went. Bars are shares of the total: gateway and rules work before and after the provider. */
export const CallTiming = ({ call }: { call: ToolCallRecord }) => {
  if (call.gateway_ms === null)
    return <p className="text-sm text-muted">Timing was not recorded for this call.</p>
  const parts = partsOf(call)
  const total = parts.reduce((sum, { ms }) => sum + (ms ?? 0), 0)
  return (
    <section className="grid gap-2.5">
      <h3 className="flex justify-between text-sm font-semibold">
        Timing <span className="font-normal text-muted">{formatMs(total)}</span>
      </h3>
      <dl className="grid grid-cols-[max-content_minmax(0,1fr)_max-content] items-center gap-x-4 gap-y-2 text-sm">
        {parts.map(({ name, ms, fill }) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd aria-hidden="true" className="h-2 rounded-full bg-hover">
              <div
                className={cx('h-full min-w-0.75 rounded-full', fill, ms === null && 'invisible')}
                style={{ width: `${total > 0 ? ((ms ?? 0) / total) * 100 : 0}%` }}
              />
            </dd>
            <dd className="text-end font-mono text-xs">{ms === null ? 'no response' : formatMs(ms)}</dd>
          </div>
        ))}
      </dl>
      <p className="text-xs text-muted">
        {call.third_party_ms === null
          ? 'The provider was not called or did not respond. Time spent waiting for it counts as gateway time.'
          : 'Shares of the total time. The gateway and the rules run before and after the provider call.'}
      </p>
    </section>
  )
}
