import type { EventType, WebhookDeliveryDetail } from '@carabiner/sdk'
import { useMay } from '../../shell/use-session.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Badge } from '../../ui/data/badge.tsx'
import { Copyable } from '../../ui/data/copyable.tsx'
import { Details } from '../../ui/data/details.tsx'
import { JsonView } from '../../ui/data/json-view.tsx'
import { RelativeTime } from '../../ui/data/relative-time.tsx'
import { UserLink } from '../../ui/data/user-link.tsx'
import { Drawer } from '../../ui/overlays/drawer.tsx'
import { toast } from '../../ui/overlays/toast.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'
import { NotLoaded } from '../../ui/states/not-loaded.tsx'
import { DeliveryAttempts } from './delivery-attempts.tsx'
import { DeliveryStatusBadge } from './endpoint-status.tsx'
import { useDelivery, useEndpoint, useWebhookChange } from './use-webhooks.ts'

type Props = { deliveryId: string; onOpen: (deliveryId: string) => void; onClose: () => void }

/** The request and every attempt of a delivery. Its ID is in the URL, so the view can be shared. */
const DeliveryDrawer = ({ deliveryId, onOpen, onClose }: Props) => {
  const mayBuild = useMay('build')
  const { data, error, refetch } = useDelivery(deliveryId)
  return (
    <Drawer
      isOpen
      onClose={onClose}
      title={data ? <code className="font-mono text-base">{data.event_type}</code> : 'Delivery'}
      {...(data && { subtitle: <Badges delivery={data} /> })}
      actions={data && mayBuild && <SendAgain key={data.id} delivery={data} onOpen={onOpen} />}
    >
      {data ? (
        <DeliveryContent delivery={data} />
      ) : (
        <NotLoaded error={error} onRetry={refetch} label="Loading the delivery" isInCard={false} />
      )}
    </Drawer>
  )
}

const Badges = ({ delivery: { status, is_test: isTest } }: { delivery: WebhookDeliveryDetail }) => (
  <span className="flex gap-1.5">
    <DeliveryStatusBadge status={status} />
    {isTest && <Badge>Test</Badge>}
  </span>
)

type SendAgainProps = { delivery: WebhookDeliveryDetail; onOpen: (deliveryId: string) => void }

/** A test event is sent once, so another one is sent instead. */
const SendAgain = ({ delivery, onOpen }: SendAgainProps) => {
  const { id, event_type: type, webhook_endpoint_id: endpointId } = delivery
  const replay = useWebhookChange(
    (api, delivered: string) => api.webhookDeliveries.replay(delivered),
    () => toast({ title: 'Redelivery started', description: 'The event keeps its ID.' }),
  )
  const test = useWebhookChange(
    (api, event_type: EventType) => api.webhookEndpoints.test(endpointId, { event_type }),
    sent => {
      toast({ title: sent.delivered ? 'Test event accepted' : 'Test event not accepted' })
      onOpen(sent.delivery_id)
    },
  )
  const { error } = delivery.is_test ? test : replay
  return (
    <>
      {delivery.is_test ? (
        <Button isBusy={test.isPending} onClick={() => test.mutate(type as EventType)}>
          Send another test event
        </Button>
      ) : (
        <Button isBusy={replay.isPending} onClick={() => replay.mutate(id)}>
          Send again
        </Button>
      )}
      {error && <ErrorNote error={error} />}
    </>
  )
}

const DeliveryContent = ({ delivery }: { delivery: WebhookDeliveryDetail }) => (
  <>
    <Details
      entries={[
        ['User', userOf(delivery)],
        ['Endpoint', <EndpointLink key="endpoint" id={delivery.webhook_endpoint_id} />],
        ['Created', <RelativeTime key="created" at={delivery.created_at} isAbsolute />],
        [
          'Next attempt',
          delivery.next_attempt_at && <RelativeTime key="next" at={delivery.next_attempt_at} isAbsolute />,
        ],
        ['Event ID', <Copyable key="event" text={delivery.event_id} label="Copy the event ID" />],
        ['Delivery ID', <Copyable key="id" text={delivery.id} label="Copy the delivery ID" />],
      ]}
    />
    <section className="grid grid-cols-[minmax(0,1fr)] gap-2.5">
      <div className="flex items-center justify-between">
        <h3 className="text-sm font-semibold">Request body</h3>
        <CopyButton text={delivery.request_body} label="Copy the signed body" />
      </div>
      <JsonView label="Request body" value={JSON.parse(delivery.request_body)} />
    </section>
    <DeliveryAttempts attempts={delivery.attempts} />
  </>
)

const userOf = ({ registered_user_id: id, event_type: type }: WebhookDeliveryDetail) => {
  if (id === null) return null
  return type === 'registered_user.deleted' ? (
    <Copyable text={id} label="Copy the ID of the deleted user" />
  ) : (
    <UserLink id={id} />
  )
}

const EndpointLink = ({ id }: { id: string }) => {
  const { data } = useEndpoint(id)
  return (
    <PageLink path={`/webhooks/${id}`} className="inline-flex min-h-6 items-center underline">
      {data ? new URL(data.url).host : 'Open the endpoint'}
    </PageLink>
  )
}

export default DeliveryDrawer
