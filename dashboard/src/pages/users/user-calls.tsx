import { useApiQuery } from '../../api/use-api-query.ts'
import { OutcomeDot } from '../../ui/data/outcome.tsx'
import { RelativeTime } from '../../ui/data/relative-time.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'
import { SkeletonRows } from '../../ui/states/skeleton.tsx'
import { type CallRow, rowOfRecord, shownOutcome, toolName } from '../logs/call-row.ts'

const SHOWN_CALLS = 10

/** The latest calls of a user. Each leads to its record among the calls of the user. */
export const UserCalls = ({ userId }: { userId: string }) => {
  const { data, error } = useApiQuery(['tool-calls', 'recent', userId], async (api, options) => {
    const filter = { registered_user_id: userId, limit: SHOWN_CALLS }
    return (await api.toolCalls.list(filter, options).page()).data
  })
  return (
    <section className="grid gap-2.5">
      <header className="flex flex-wrap items-baseline justify-between gap-x-4">
        <h3 className="text-sm font-semibold">Recent calls</h3>
        <PageLink
          path={`/logs?user=${userId}&range=30d`}
          className="inline-flex min-h-6 items-center text-sm underline underline-offset-2 max-md:min-h-11"
        >
          All calls in Logs
        </PageLink>
      </header>
      {error ? (
        <ErrorNote error={error} />
      ) : !data ? (
        <SkeletonRows label="Loading calls" rows={3} isInCard={false} />
      ) : data.length === 0 ? (
        <p className="text-sm text-muted">No agent has called a tool for this user yet.</p>
      ) : (
        <ul
          aria-label="Recent calls"
          className="divide-y divide-line overflow-hidden rounded-popup border border-line"
        >
          {data.map(rowOfRecord).map(call => (
            <li key={call.id}>
              <PageLink
                path={`/logs?user=${userId}&range=30d&call=${call.id}`}
                className="grid grid-cols-[minmax(0,1fr)_max-content] items-center gap-x-4 gap-y-0.5 px-3.5 py-2 text-sm hover:bg-hover focus-visible:-outline-offset-2"
              >
                <CallCells call={call} />
              </PageLink>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

const CallCells = ({ call }: { call: CallRow }) => (
  <>
    <code className="truncate font-mono text-xs font-medium" title={toolName(call)}>
      {toolName(call)}
    </code>
    <span className="text-xs text-muted">
      <RelativeTime at={call.startedAt} />
    </span>
    <span className="col-span-full truncate">
      <OutcomeDot {...shownOutcome(call)} />
    </span>
  </>
)
