import type { WebhookDelivery } from '@carabiner/sdk'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Details } from '../../ui/data/details.tsx'
import { RelativeTime } from '../../ui/data/relative-time.tsx'
import { Drawer } from '../../ui/overlays/drawer.tsx'
import { toast } from '../../ui/overlays/toast.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'
import { DeliveryStatusBadge } from './endpoint-status.tsx'
import { useWebhookChange } from './use-webhooks.ts'

type Props = { delivery: WebhookDelivery; mayBuild: boolean; onClose: () => void }

const DeliveryDrawer = ({ delivery, mayBuild, onClose }: Props) => {
  const replay = useWebhookChange(
    (api, id: string) => api.webhookDeliveries.replay(id),
    () => toast({ title: 'The delivery is made again', description: 'The event keeps its ID.' }),
  )
  return (
    <Drawer
      isOpen
      onClose={onClose}
      title={delivery.event_type}
      subtitle={<DeliveryStatusBadge status={delivery.status} />}
      actions={
        mayBuild && (
          <Button isBusy={replay.isPending} onClick={() => replay.mutate(delivery.id)}>
            Replay
          </Button>
        )
      }
    >
      {replay.error && <ErrorNote error={replay.error} />}
      <Details
        entries={[
          [
            'Event ID',
            <span key="event" className="-my-1.5 flex items-center gap-1">
              <code className="min-w-0 font-mono text-xs">{delivery.event_id}</code>
              <CopyButton text={delivery.event_id} label="Copy the event ID" />
            </span>,
          ],
          [
            'Registered User',
            delivery.registered_user_id && (
              <code key="user" className="font-mono text-xs">
                {delivery.registered_user_id}
              </code>
            ),
          ],
          ['Created', <RelativeTime key="created" at={delivery.created_at} isAbsolute />],
          [
            'Next attempt',
            delivery.next_attempt_at && <RelativeTime key="next" at={delivery.next_attempt_at} />,
          ],
        ]}
      />
      <section className="grid gap-2.5">
        <h3 className="text-sm font-semibold">Attempts</h3>
        {delivery.attempts.length === 0 ? (
          <p className="text-sm text-muted">None yet.</p>
        ) : (
          <ol className="divide-y divide-line rounded-popup border border-line">
            {delivery.attempts.toReversed().map(attempt => (
              <li key={attempt.at} className="grid gap-1.5 px-3.5 py-3 text-sm">
                <p className="flex flex-wrap items-center justify-between gap-x-4">
                  <span className="font-medium">
                    {attempt.response_status
                      ? `Status ${attempt.response_status}`
                      : (attempt.error ?? 'No response')}
                  </span>
                  <span className="text-xs text-muted">
                    <RelativeTime at={attempt.at} /> · {attempt.duration_ms} ms
                  </span>
                </p>
                {attempt.response_body && (
                  <pre
                    tabIndex={0}
                    className="overflow-x-auto rounded-control bg-ground px-2.5 py-2 font-mono text-xs whitespace-pre-wrap"
                  >
                    {attempt.response_body}
                  </pre>
                )}
              </li>
            ))}
          </ol>
        )}
      </section>
    </Drawer>
  )
}

export default DeliveryDrawer
