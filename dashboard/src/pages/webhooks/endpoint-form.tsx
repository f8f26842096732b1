import type {
  NewWebhookEndpoint,
  WebhookEndpoint,
  WebhookEndpointCreate,
  WebhookEndpointPatch,
} from '@carabiner/sdk'
import { useState } from 'react'
import { SelectField } from '../../ui/forms/select-field.tsx'
import { TextField } from '../../ui/forms/text-field.tsx'
import { FormDialog } from '../../ui/overlays/form-dialog.tsx'
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
  const submit = (): void => {
    const body = { url: url.trim(), description: description.trim() || null, event_types: types }
    if (endpoint) update.mutate(body)
    else create.mutate({ ...body, signature, format })
  }
  return (
    <FormDialog
      title={endpoint ? 'Edit the endpoint' : 'Add an endpoint'}
      width="lg"
      action={endpoint ? 'Save' : 'Add endpoint'}
      onClose={onClose}
      onSubmit={submit}
      isIncomplete={url.trim() === '' || types?.length === 0}
      request={endpoint ? update : create}
    >
      <TextField
        label="URL"
        hint="Must use HTTPS. http://localhost works in development."
        required
        type="url"
        maxLength={2048}
        value={url}
        onChange={setUrl}
        placeholder="https://example.com/webhooks"
        autoComplete="off"
        autoFocus
      />
      <TextField
        label="Description"
        hint="Optional."
        maxLength={255}
        value={description}
        onChange={setDescription}
      />
      {!endpoint && (
        <div className="grid gap-5 sm:grid-cols-2">
          <SelectField label="Signature" value={signature} onChange={setSignature} options={SIGNATURES} />
          <SelectField label="Format" value={format} onChange={setFormat} options={FORMATS} />
        </div>
      )}
      <EventTypeChoice value={types} onChange={setTypes} />
    </FormDialog>
  )
}

export default EndpointForm
