import type { NewWebhookEndpoint, WebhookEndpoint } from '@carabiner/sdk'
import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { useScope } from '../../api/use-api.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx'
import { toast } from '../../ui/overlays/toast.tsx'
import { useWebhookChange } from './use-webhooks.ts'

const EndpointForm = lazy(() => import('./endpoint-form.tsx'))
const EndpointSecretDialog = lazy(() => import('./endpoint-secret-dialog.tsx'))
const TestDialog = lazy(() => import('./test-dialog.tsx'))

type EndpointAction = 'test' | 'edit' | 'rotate' | 'delete' | null

export const EndpointActions = ({ endpoint }: { endpoint: WebhookEndpoint }) => {
  const scope = useScope()
  const navigate = useNavigate()
  const [dialog, setDialog] = useState<EndpointAction>(null)
  const [rotated, setRotated] = useState<NewWebhookEndpoint | null>(null)
  const close = (): void => setDialog(null)
  const pause = useWebhookChange((api, paused: boolean) =>
    api.webhookEndpoints.update(endpoint.id, { paused }),
  )
  const rotate = useWebhookChange(
    (api, id: string) => api.webhookEndpoints.rotateSecret(id),
    created => {
      close()
      setRotated(created)
    },
  )
  const remove = useWebhookChange(
    (api, id: string) => api.webhookEndpoints.delete(id),
    () => {
      toast({ title: 'Endpoint deleted' })
      void navigate({ to: '/o/$organization/$mode/webhooks', params: scope })
    },
  )
  const isActive = endpoint.status === 'active'
  return (
    <>
      <Button onClick={() => setDialog('test')}>Send test event</Button>
      <Button isBusy={pause.isPending} onClick={() => pause.mutate(isActive)}>
        {isActive ? 'Pause' : 'Resume'}
      </Button>
      <Button onClick={() => setDialog('edit')}>Edit</Button>
      <Button onClick={() => setDialog('rotate')}>Rotate secret</Button>
      <Button kind="quiet-danger" onClick={() => setDialog('delete')}>
        Delete
      </Button>
      <ConfirmDialog
        isOpen={dialog === 'rotate'}
        onClose={close}
        onConfirm={() => rotate.mutate(endpoint.id)}
        title="Rotate the signing secret?"
        action="Rotate secret"
        request={rotate}
      >
        You get a new secret, shown only once. For 24 hours, webhooks are signed with both the old and the new
        secret, so that your receivers can switch without missing an event. After that, only the new secret is
        used.
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={dialog === 'delete'}
        onClose={close}
        onConfirm={() => remove.mutate(endpoint.id)}
        title="Delete this endpoint?"
        action="Delete endpoint"
        request={remove}
      >
        Pending deliveries are dropped, and the delivery list is deleted. To stop sending for a while, pause
        the endpoint instead: its events are sent when you resume it.
      </ConfirmDialog>
      <Suspense>
        {dialog === 'edit' && <EndpointForm endpoint={endpoint} onClose={close} />}
        {dialog === 'test' && (
          <TestDialog
            endpoint={endpoint}
            onClose={close}
            onShow={delivery => {
              close()
              void navigate({
                to: '/o/$organization/$mode/webhooks/$endpoint',
                params: { ...scope, endpoint: endpoint.id },
                search: { delivery },
              })
            }}
          />
        )}
        {rotated && <EndpointSecretDialog endpoint={rotated} isRotated onClose={() => setRotated(null)} />}
      </Suspense>
    </>
  )
}
