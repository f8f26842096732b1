import type { WebhookDelivery, WebhookEndpoint } from '@carabiner/sdk'
import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useMay } from '../../shell/use-session.ts'
import { Card } from '../../ui/card.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Details } from '../../ui/data/details.tsx'
import { RelativeTime } from '../../ui/data/relative-time.tsx'
import { Filter } from '../../ui/lists/filter.tsx'
import { FilterBar } from '../../ui/lists/filter-bar.tsx'
import { ListCard } from '../../ui/lists/list-card.tsx'
import type { Column } from '../../ui/lists/table.tsx'
import { idOf, useRowOpener } from '../../ui/lists/use-row-opener.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState } from '../../ui/states/empty-state.tsx'
import { ErrorState } from '../../ui/states/error-state.tsx'
import { SkeletonRows } from '../../ui/states/skeleton.tsx'
import { EndpointActions } from './endpoint-actions.tsx'
import { DeliveryStatusBadge, EndpointStatus } from './endpoint-status.tsx'
import { ReplayButton } from './replay-button.tsx'
import { useDeliveries, useEndpoint } from './use-webhooks.ts'
import { VerifySnippet } from './verify-snippet.tsx'

const DeliveryDrawer = lazy(() => import('./delivery-drawer.tsx'))
const route = getRouteApi('/o/$organization/$mode/webhooks/$endpoint')

const DISABLED: Record<NonNullable<WebhookEndpoint['disabled_reason']>, string> = {
  gone: 'The receiver answered 410 Gone. Resume it to send new events; missed ones can be replayed.',
  attempts_exhausted:
    'All ten attempts of a delivery have failed. Fix the receiver, resume the endpoint, then replay what was missed.',
}

const EndpointPage = () => {
  const { endpoint: id } = route.useParams()
  const mayBuild = useMay('build')
  const { data, error, refetch } = useEndpoint(id)
  if (!data)
    return (
      <Page title="Webhook endpoint">
        <Card isFlush>
          {error ? (
            <ErrorState error={error} onRetry={() => void refetch()} />
          ) : (
            <SkeletonRows label="Loading the endpoint" />
          )}
        </Card>
      </Page>
    )
  return (
    <Page
      title={new URL(data.url).host}
      note={data.description ?? undefined}
      actions={mayBuild && <EndpointActions endpoint={data} />}
    >
      {data.disabled_reason && (
        <p className="rounded-popup bg-bad-soft px-4 py-3 text-sm text-bad">
          {DISABLED[data.disabled_reason]}
        </p>
      )}
      <Card>
        <EndpointDetails endpoint={data} />
      </Card>
      <Deliveries endpoint={data} mayBuild={mayBuild} />
      <VerifySnippet signature={data.signature} />
    </Page>
  )
}

const EndpointDetails = ({ endpoint }: { endpoint: WebhookEndpoint }) => (
  <Details
    entries={[
      ['Status', <EndpointStatus key="status" status={endpoint.status} />],
      ['URL', <Copied key="url" text={endpoint.url} />],
      ['Events', endpoint.event_types?.join(', ') ?? 'All'],
      ['Format', endpoint.format === 'batch' ? 'Batches' : 'One event per request'],
      ['Signature', endpoint.signature === 'v1' ? 'HMAC-SHA256' : 'Ed25519'],
      ['Public key', endpoint.public_key && <Copied key="key" text={endpoint.public_key} />],
      [
        'Last success',
        endpoint.last_success_at ? <RelativeTime key="at" at={endpoint.last_success_at} /> : 'None yet',
      ],
      ['Created', <RelativeTime key="created" at={endpoint.created_at} isAbsolute />],
    ]}
  />
)

const Copied = ({ text }: { text: string }) => (
  <span className="-my-1.5 flex items-center gap-1">
    <code className="min-w-0 font-mono text-xs break-all">{text}</code>
    <CopyButton text={text} />
  </span>
)

const COLUMNS: readonly Column<WebhookDelivery>[] = [
  {
    id: 'type',
    header: 'Event',
    cell: ({ event_type }) => <code className="font-mono text-xs">{event_type}</code>,
  },
  { id: 'status', header: 'Status', cell: ({ status }) => <DeliveryStatusBadge status={status} /> },
  {
    id: 'response',
    header: 'Response',
    isWide: true,
    cell: ({ attempts }) => attempts.at(-1)?.response_status ?? <span className="text-muted">–</span>,
  },
  { id: 'attempts', header: 'Attempts', isWide: true, align: 'end', cell: ({ attempts }) => attempts.length },
  {
    id: 'created',
    header: 'Created',
    align: 'end',
    isWide: true,
    cell: ({ created_at }) => <RelativeTime at={created_at} />,
  },
]

const Deliveries = ({ endpoint, mayBuild }: { endpoint: WebhookEndpoint; mayBuild: boolean }) => {
  const { status, delivery } = route.useSearch()
  const navigate = route.useNavigate()
  const renderOpener = useRowOpener('delivery', idOf)
  const list = useDeliveries(endpoint.id, status)
  const opened = list.rows.find(({ id }) => id === delivery)
  return (
    <>
      <FilterBar>
        <h2 className="me-auto text-base font-semibold">Deliveries</h2>
        <Filter
          label="Status"
          value={status}
          onChange={next =>
            void navigate({ search: previous => ({ ...previous, status: next }), replace: true })
          }
          options={[
            { value: 'all', label: 'All' },
            { value: 'failed', label: 'Failed' },
            { value: 'pending', label: 'Pending' },
            { value: 'delivered', label: 'Delivered' },
          ]}
        />
        {mayBuild && <ReplayButton endpointId={endpoint.id} />}
      </FilterBar>
      <ListCard
        list={list}
        loading={{ label: 'Loading deliveries', rows: 4 }}
        empty={
          <EmptyState title="No deliveries">
            {status === 'all'
              ? 'The next event of the chosen types appears here. Send a test event to check the receiver now.'
              : 'No delivery has this status.'}
          </EmptyState>
        }
        label="Deliveries"
        columns={COLUMNS}
        rowKey={idOf}
        openKey={delivery}
        renderOpener={renderOpener}
      />
      <Suspense>
        {opened && (
          <DeliveryDrawer
            delivery={opened}
            mayBuild={mayBuild}
            onClose={() => void navigate({ search: previous => ({ ...previous, delivery: undefined }) })}
          />
        )}
      </Suspense>
    </>
  )
}

export default EndpointPage
