import { useApiQuery } from '../../../api/use-api-query.ts'
import { Card } from '../../../ui/card.tsx'
import { RelativeTime } from '../../../ui/data/relative-time.tsx'
import { ErrorState } from '../../../ui/states/error-state.tsx'
import { describeRejection, REJECTED, type Rejected } from './describe-rejection.ts'

const MAX_SHOWN = 5

/** The latest sign-ins that were rejected, with the cause and what to do. Renders nothing if there are none. */
export const Rejections = () => {
  const { data, error, refetch } = useApiQuery(['user-sign-in', 'rejections'], async (api, options) => {
    const { data: events } = await api.events.list({ type: REJECTED, limit: MAX_SHOWN }, options).page()
    return events.filter((event): event is Rejected => event.type === REJECTED)
  })
  if (error)
    return (
      <Card title="Rejected sign-ins" isFlush>
        <ErrorState error={error} onRetry={() => void refetch()} />
      </Card>
    )
  if (!data?.length) return null
  return (
    <Card title="Rejected sign-ins" note="The latest failed sign-ins with an MCP client." isFlush>
      <ul className="divide-y divide-line">
        {data.map(event => (
          <Row key={event.id} event={event} />
        ))}
      </ul>
    </Card>
  )
}

const Row = ({ event: { occurred_at: at, data } }: { event: Rejected }) => {
  const { title, fix } = describeRejection(data)
  return (
    <li className="grid gap-1 px-4.5 py-3.5 text-sm md:px-5">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <h3 className="min-w-0 font-medium break-words">{title}</h3>
        <span className="text-xs text-muted">
          <RelativeTime at={at} />
        </span>
      </div>
      <p className="text-muted text-pretty">{fix}</p>
      <p className="min-w-0 text-xs break-all text-muted">
        {[data.client_name || data.client_id, data.issuer].filter(Boolean).join(' · ')}
      </p>
    </li>
  )
}
