import type { NewWebhookEndpoint, WebhookEndpoint } from '@carabiner/sdk'
import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { useScope } from '../../api/use-api.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx'
import { toast } from '../../ui/overlays/toast.tsx'
import { useWebhookChange } from './use-webhooks.ts'

const EndpointForm = lazy(() => import('./endpoint-form.tsx'))
const SecretDialog = lazy(() => import('./secret-dialog.tsx'))
const TestDialog = lazy(() => import('./test-dialog.tsx'))

type Asked = 'test' | 'edit' | 'rotate' | 'delete' | null

export const EndpointActions = ({ endpoint }: { endpoint: WebhookEndpoint }) => {
  const scope = useScope()
  const navigate = useNavigate()
  const [asked, setAsked] = useState<Asked>(null)
  const [rotated, setRotated] = useState<NewWebhookEndpoint | null>(null)
  const close = (): void => setAsked(null)
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
      <Button onClick={() => setAsked('test')}>Send a test event</Button>
      <Button isBusy={pause.isPending} onClick={() => pause.mutate(isActive)}>
        {isActive ? 'Pause' : 'Resume'}
      </Button>
      <Button onClick={() => setAsked('edit')}>Edit</Button>
      <Button onClick={() => setAsked('rotate')}>Rotate the secret</Button>
      <Button kind="quiet-danger" onClick={() => setAsked('delete')}>
        Delete
      </Button>
      <ConfirmDialog
        isOpen={asked === 'rotate'}
        onClose={close}
        onConfirm={() => rotate.mutate(endpoint.id)}
        title="Rotate the signing secret?"
        action="Rotate the secret"
        isBusy={rotate.isPending}
        error={rotate.error}
      >
        A new secret is created and shown once. For 24 hours, every webhook has two signatures, of the
        previous and of the new secret, so that receivers can change over without losing one. Afterwards only
        the new one is used.
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={asked === 'delete'}
        onClose={close}
        onConfirm={() => remove.mutate(endpoint.id)}
        title="Delete this endpoint?"
        action="Delete endpoint"
        isBusy={remove.isPending}
        error={remove.error}
      >
        Pending deliveries are dropped, and the list of deliveries is deleted. To stop sending for a while,
        pause the endpoint instead: its events are sent when you resume it.
      </ConfirmDialog>
      <Suspense>
        {asked === 'edit' && <EndpointForm endpoint={endpoint} onClose={close} />}
        {asked === 'test' && <TestDialog endpoint={endpoint} onClose={close} />}
        {rotated && <SecretDialog endpoint={rotated} isRotated onClose={() => setRotated(null)} />}
      </Suspense>
    </>
  )
}
