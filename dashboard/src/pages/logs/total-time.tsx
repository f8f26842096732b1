import { type CallRow, formatMs } from './call-row.ts'

/** The whole time of a call, and as a bar which part of it the provider took. */
export const TotalTime = ({ call: { totalMs, providerMs } }: { call: CallRow }) => (
  <span className="inline-flex items-center gap-2">
    {totalMs !== null && totalMs > 0 && (
      <span
        aria-hidden="true"
        title={providerMs === null ? 'Provider not called' : `Provider ${formatMs(providerMs)}`}
        className="flex h-1.5 w-12 overflow-hidden rounded-full bg-fill-auth max-lg:hidden"
      >
        <span
          className="ms-auto bg-fill-success"
          style={{ width: `${((providerMs ?? 0) / totalMs) * 100}%` }}
        />
      </span>
    )}
    <Duration ms={totalMs} />
  </span>
)

export const Duration = ({ ms }: { ms: number | null }) => (
  <span className="font-mono text-xs whitespace-nowrap">{formatMs(ms)}</span>
)
