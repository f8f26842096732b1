import type { WebhookDelivery } from '@carabiner/sdk'
import { lazy, type ReactNode, Suspense } from 'react'
import { Badge } from '../../ui/data/badge.tsx'
import { RelativeTime } from '../../ui/data/relative-time.tsx'
import { UserName } from '../../ui/data/user-name.tsx'
import { Filter } from '../../ui/lists/filter.tsx'
import { FilterBar } from '../../ui/lists/filter-bar.tsx'
import { ListCard } from '../../ui/lists/list-card.tsx'
import type { Column } from '../../ui/lists/table.tsx'
import { idOf, useRowOpener } from '../../ui/lists/use-row-opener.tsx'
import { EmptyState } from '../../ui/states/empty-state.tsx'
import type { DeliverySearch } from './delivery-search.ts'
import { DeliveryStatusBadge } from './endpoint-status.tsx'
import { useDeliveries } from './use-webhooks.ts'

const DeliveryDrawer = lazy(() => import('./delivery-drawer.tsx'))

/** The result of the latest attempt. */
const lastResponse = ({ attempts }: WebhookDelivery): string => {
  const last = attempts.at(-1)
  if (!last) return 'Not sent yet'
  return last.response_status === null ? (last.error ?? 'No response') : String(last.response_status)
}

const EventName = ({ delivery }: { delivery: WebhookDelivery }) => (
  <span className="inline-flex flex-wrap items-center gap-x-2">
    <code className="font-mono text-xs font-medium">{delivery.event_type}</code>
    {delivery.is_test && <Badge>Test</Badge>}
  </span>
)

/** A delivery on a phone. */
const deliveryCard = (delivery: WebhookDelivery) => (
  <span className="grid w-full min-w-0 gap-1.5 text-start font-normal">
    <EventName delivery={delivery} />
    <span className="flex flex-wrap items-center justify-between gap-x-3 text-xs text-muted">
      <DeliveryStatusBadge status={delivery.status} />
      <RelativeTime at={delivery.created_at} />
    </span>
    {delivery.registered_user_id !== null && (
      <span className="text-xs text-muted">
        <UserName id={delivery.registered_user_id} />
      </span>
    )}
  </span>
)

const COLUMNS: readonly Column<WebhookDelivery>[] = [
  {
    id: 'event',
    header: 'Event',
    cell: delivery => <EventName delivery={delivery} />,
  },
  { id: 'status', header: 'Status', cell: ({ status }) => <DeliveryStatusBadge status={status} /> },
  {
    id: 'user',
    header: 'User',
    isWide: true,
    cell: ({ registered_user_id: id }) => id !== null && <UserName id={id} />,
  },
  { id: 'response', header: 'Response', isWide: true, cell: lastResponse },
  { id: 'attempts', header: 'Attempts', align: 'end', isWide: true, cell: ({ attempts }) => attempts.length },
  {
    id: 'created',
    header: 'Created',
    align: 'end',
    isWide: true,
    cell: ({ created_at: at }) => <RelativeTime at={at} />,
  },
]

type Props = {
  /** Default: the deliveries to all endpoints of this mode. */
  endpointId?: string
  search: DeliverySearch
  onSearch: (change: DeliverySearch) => void
  label: string
  /** What to do if there are no deliveries. */
  emptyHint: string
  heading?: ReactNode
  actions?: ReactNode
}

/** Deliveries by status, and the details of one. The page keeps the search in its URL. */
export const DeliveryList = (props: Props) => {
  const { endpointId, search, onSearch, label, emptyHint, heading, actions } = props
  const { status = 'all', delivery } = search
  const renderOpener = useRowOpener('delivery', idOf)
  const list = useDeliveries(status, endpointId)
  return (
    <>
      <FilterBar>
        {heading}
        <Filter
          label="Status"
          value={status}
          options={[
            { value: 'all', label: 'All' },
            { value: 'failed', label: 'Failed' },
            { value: 'pending', label: 'Pending' },
            { value: 'delivered', label: 'Delivered' },
          ]}
          onChange={next => onSearch({ status: next })}
        />
        {actions}
      </FilterBar>
      <ListCard
        list={list}
        loading={{ label: 'Loading deliveries', rows: 4 }}
        empty={
          <EmptyState title={status === 'all' ? 'No deliveries yet' : 'No delivery has this status'}>
            {status === 'all' ? emptyHint : 'Choose another status.'}
          </EmptyState>
        }
        label={label}
        columns={COLUMNS}
        card={deliveryCard}
        rowKey={idOf}
        openKey={delivery}
        renderOpener={renderOpener}
      />
      <Suspense>
        {delivery !== undefined && (
          <DeliveryDrawer
            deliveryId={delivery}
            onOpen={next => onSearch({ delivery: next })}
            onClose={() => onSearch({ delivery: undefined })}
          />
        )}
      </Suspense>
    </>
  )
}
