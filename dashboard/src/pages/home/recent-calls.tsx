import { useApiQuery } from '../../api/use-api-query.ts'
import { Card } from '../../ui/card.tsx'
import { OutcomeDot } from '../../ui/data/outcome.tsx'
import { UserName } from '../../ui/data/user-name.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { type CallRow, formatTime, rowOfRecord, shownOutcome, toolName } from '../logs/call-row.ts'
import { TotalTime } from '../logs/total-time.tsx'
import { RECENT } from './summary-query.ts'

/** The latest calls, whatever their outcome. Each leads to its details. */
export const RecentCalls = ({ refetchInterval }: { refetchInterval: number }) => {
  const { data = [] } = useApiQuery(RECENT.key, RECENT.load, { refetchInterval })
  if (data.length === 0) return null
  return (
    <Card
      title="Recent calls"
      isFlush
      actions={
        <PageLink path="/logs" className="inline-flex min-h-6 items-center text-sm underline max-md:min-h-11">
          All calls
        </PageLink>
      }
    >
      <ul className="divide-y divide-line">
        {data.map(rowOfRecord).map(call => (
          <li key={call.id}>
            <PageLink path={`/logs?call=${call.id}`} className={rowClass}>
              <CallCells call={call} />
            </PageLink>
          </li>
        ))}
      </ul>
    </Card>
  )
}

const rowClass =
  'grid gap-x-4 gap-y-1 px-4.5 py-2.5 text-sm hover:bg-hover md:grid-cols-[7.5rem_minmax(0,1.4fr)_minmax(0,1fr)_minmax(0,1.4fr)_7.5rem] md:items-center md:px-5'

const CallCells = ({ call }: { call: CallRow }) => (
  <>
    <time dateTime={call.startedAt} className="font-mono text-xs text-muted max-md:order-last">
      {formatTime(call.startedAt)}
    </time>
    <code className="truncate font-mono text-xs font-medium">{toolName(call)}</code>
    <span className="truncate max-md:text-xs max-md:text-muted">
      <UserName id={call.userId} />
    </span>
    <span className="truncate">
      <OutcomeDot {...shownOutcome(call)} />
    </span>
    <span className="justify-self-end max-md:hidden">
      <TotalTime call={call} />
    </span>
  </>
)
