import type { WebhookDelivery } from '@carabiner/sdk'
import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useList } from '../../api/use-list.ts'
import { Badge, type Tone } from '../../ui/data/badge.tsx'
import { RelativeTime } from '../../ui/data/relative-time.tsx'
import { Filter } from '../../ui/lists/filter.tsx'
import { FilterBar } from '../../ui/lists/filter-bar.tsx'
import { ListCard } from '../../ui/lists/list-card.tsx'
import type { Column } from '../../ui/lists/table.tsx'
import { idOf, useRowOpener } from '../../ui/lists/use-row-opener.tsx'
import { EmptyState } from '../../ui/states/empty-state.tsx'

const DeliveryDrawer = lazy(() => import('./delivery-drawer.tsx'))
const route = getRouteApi('/o/$organization/$mode/logs')

const STATUSES: Record<WebhookDelivery['status'], { label: string; tone: Tone }> = {
  pending: { label: 'Pending', tone: 'info' },
  delivered: { label: 'Delivered', tone: 'good' },
  failed: { label: 'Failed', tone: 'bad' },
}

export const DeliveryStatus = ({ status }: { status: WebhookDelivery['status'] }) => (
  <Badge tone={STATUSES[status].tone}>{STATUSES[status].label}</Badge>
)

/** The result of the latest attempt. */
const lastResponse = ({ attempts }: WebhookDelivery): string => {
  const last = attempts.at(-1)
  if (!last) return 'Not sent yet'
  return last.response_status === null ? (last.error ?? 'No response') : String(last.response_status)
}

const COLUMNS: readonly Column<WebhookDelivery>[] = [
  {
    id: 'event',
    header: 'Event',
    cell: ({ event_type: type }) => <code className="font-mono text-xs font-medium">{type}</code>,
  },
  { id: 'status', header: 'Status', cell: ({ status }) => <DeliveryStatus status={status} /> },
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

export const DeliveriesTab = () => {
  const { status = '', delivery } = route.useSearch()
  const navigate = route.useNavigate()
  const renderOpener = useRowOpener('delivery', idOf)
  const list = useList(['webhook-deliveries', 'list', status], (api, options) =>
    api.webhookDeliveries.list(status === '' ? {} : { status }, options),
  )
  return (
    <div className="grid gap-4">
      <FilterBar>
        <Filter
          label="Status"
          value={status}
          options={[
            { value: '', label: 'Any' },
            { value: 'failed', label: 'Failed' },
            { value: 'pending', label: 'Pending' },
            { value: 'delivered', label: 'Delivered' },
          ]}
          onChange={next => void navigate({ search: previous => ({ ...previous, status: next }) })}
        />
      </FilterBar>
      <ListCard
        list={list}
        loading={{ label: 'Loading deliveries' }}
        empty={
          <EmptyState title={status === '' ? 'No deliveries yet' : 'No delivery has this status'}>
            {status === ''
              ? 'Add a webhook endpoint, and each event that is sent to it appears here.'
              : 'Deliveries to all endpoints of this mode are searched.'}
          </EmptyState>
        }
        label="Webhook deliveries"
        columns={COLUMNS}
        rowKey={idOf}
        openKey={delivery}
        renderOpener={renderOpener}
      />
      <Suspense>
        {delivery !== undefined && (
          <DeliveryDrawer
            deliveryId={delivery}
            onClose={() => void navigate({ search: previous => ({ ...previous, delivery: undefined }) })}
          />
        )}
      </Suspense>
    </div>
  )
}
