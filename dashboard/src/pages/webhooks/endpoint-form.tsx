import type {
  NewWebhookEndpoint,
  WebhookEndpoint,
  WebhookEndpointCreate,
  WebhookEndpointPatch,
} from '@carabiner/sdk'
import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/forms/field.tsx'
import { Input } from '../../ui/forms/input.tsx'
import { Select } from '../../ui/forms/select.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { DialogActions } from '../../ui/overlays/dialog-actions.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'
import { EventTypeChoice } from './event-type-choice.tsx'
import { useWebhookChange } from './use-webhooks.ts'

type Props = {
  /** Undefined: a new endpoint. */
  endpoint?: WebhookEndpoint
  onClose: () => void
  onCreated?: (endpoint: NewWebhookEndpoint) => void
}

const SIGNATURES = [
  { value: 'v1', label: 'HMAC-SHA256', hint: 'A shared secret. Verified by most libraries.' },
  { value: 'v1a', label: 'Ed25519', hint: 'A public key: receivers need no secret.' },
] as const
const FORMATS = [
  { value: 'single', label: 'One event per request' },
  { value: 'batch', label: 'Batches', hint: 'Up to 500 events per request, compressed.' },
] as const

const EndpointForm = ({ endpoint, onClose, onCreated }: Props) => {
  const [url, setUrl] = useState(endpoint?.url ?? '')
  const [description, setDescription] = useState(endpoint?.description ?? '')
  const [types, setTypes] = useState(endpoint ? endpoint.event_types : null)
  const [signature, setSignature] = useState<'v1' | 'v1a'>('v1')
  const [format, setFormat] = useState<'single' | 'batch'>('single')
  const create = useWebhookChange(
    (api, body: WebhookEndpointCreate) => api.webhookEndpoints.create(body),
    onCreated,
  )
  const update = useWebhookChange(
    (api, body: WebhookEndpointPatch) => api.webhookEndpoints.update(endpoint?.id as string, body),
    onClose,
  )
  const { isPending, error } = endpoint ? update : create
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const body = { url: url.trim(), description: description.trim() || null, event_types: types }
    if (endpoint) update.mutate(body)
    else create.mutate({ ...body, signature, format })
  }
  return (
    <Dialog isOpen onClose={onClose} width="lg" title={endpoint ? 'Edit the endpoint' : 'Add an endpoint'}>
      <form className="grid gap-5" onSubmit={submit}>
        <Field label="URL" hint="HTTPS. In development also HTTP on this machine.">
          <Input
            required
            type="url"
            maxLength={2048}
            value={url}
            onChange={event => setUrl(event.target.value)}
            placeholder="https://example.com/webhooks"
            autoComplete="off"
            autoFocus
          />
        </Field>
        <Field label="Description" hint="Optional.">
          <Input maxLength={255} value={description} onChange={event => setDescription(event.target.value)} />
        </Field>
        {!endpoint && (
          <div className="grid gap-5 sm:grid-cols-2">
            <Field label="Signature">
              <Select value={signature} onChange={setSignature} options={SIGNATURES} />
            </Field>
            <Field label="Format">
              <Select value={format} onChange={setFormat} options={FORMATS} />
            </Field>
          </div>
        )}
        <EventTypeChoice value={types} onChange={setTypes} />
        {error && <ErrorNote error={error} />}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            kind="primary"
            isBusy={isPending}
            disabled={url.trim() === '' || types?.length === 0}
          >
            {endpoint ? 'Save' : 'Add endpoint'}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

export default EndpointForm
