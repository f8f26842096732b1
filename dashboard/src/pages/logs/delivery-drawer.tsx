import type { WebhookDelivery } from '@carabiner/sdk'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useMay } from '../../shell/use-session.ts'
import { Button } from '../../ui/button.tsx'
import { Details } from '../../ui/data/details.tsx'
import { RelativeTime } from '../../ui/data/relative-time.tsx'
import { Drawer } from '../../ui/overlays/drawer.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'
import { ErrorState } from '../../ui/states/error-state.tsx'
import { SkeletonRows } from '../../ui/states/skeleton.tsx'
import { DeliveryStatus } from './deliveries-tab.tsx'

const DeliveryDrawer = ({ deliveryId, onClose }: { deliveryId: string; onClose: () => void }) => {
  const mayBuild = useMay('build')
  const { data, error, refetch } = useApiQuery(['webhook-deliveries', 'one', deliveryId], (api, options) =>
    api.webhookDeliveries.get(deliveryId, options),
  )
  const replay = useApiMutation((api, id: string) => api.webhookDeliveries.replay(id), {
    invalidates: [['webhook-deliveries']],
  })
  return (
    <Drawer
      isOpen
      onClose={onClose}
      title={data ? <code className="font-mono text-base">{data.event_type}</code> : 'Delivery'}
      actions={
        data &&
        mayBuild && (
          <Button isBusy={replay.isPending} onClick={() => replay.mutate(deliveryId)}>
            Send again
          </Button>
        )
      }
    >
      {replay.error && <ErrorNote error={replay.error} />}
      {data ? (
        <DeliveryDetails delivery={data} />
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <SkeletonRows label="Loading the delivery" isInCard={false} />
      )}
    </Drawer>
  )
}

const DeliveryDetails = ({ delivery }: { delivery: WebhookDelivery }) => (
  <>
    <Details
      entries={[
        ['Status', <DeliveryStatus key="status" status={delivery.status} />],
        [
          'Next attempt',
          delivery.next_attempt_at && <RelativeTime at={delivery.next_attempt_at} isAbsolute />,
        ],
        ['Created', <RelativeTime key="created" at={delivery.created_at} isAbsolute />],
        [
          'Delivery ID',
          <code key="id" className="font-mono text-xs">
            {delivery.id}
          </code>,
        ],
        [
          'Event ID',
          <code key="event" className="font-mono text-xs">
            {delivery.event_id}
          </code>,
        ],
        [
          'Endpoint',
          <code key="endpoint" className="font-mono text-xs">
            {delivery.webhook_endpoint_id}
          </code>,
        ],
      ]}
    />
    <section className="grid gap-2.5">
      <h3 className="text-sm font-semibold">Attempts</h3>
      {delivery.attempts.length === 0 ? (
        <p className="text-sm text-muted">It has not been sent yet.</p>
      ) : (
        <ol className="divide-y divide-line rounded-popup border border-line">
          {delivery.attempts.toReversed().map(attempt => (
            <li key={attempt.at} className="grid gap-1 px-3.5 py-3 text-sm">
              <span className="flex flex-wrap gap-x-3">
                <span className="font-medium">{attempt.response_status ?? attempt.error}</span>
                <span className="text-muted">
                  <RelativeTime at={attempt.at} /> · {attempt.duration_ms} ms
                </span>
              </span>
              {attempt.response_body && (
                <pre className="font-mono text-xs whitespace-pre-wrap text-muted">
                  {attempt.response_body}
                </pre>
              )}
            </li>
          ))}
        </ol>
      )}
    </section>
  </>
)

export default DeliveryDrawer
