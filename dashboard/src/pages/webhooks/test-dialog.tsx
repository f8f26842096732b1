import { type EventType, eventTypes } from '@carabiner/contract'
import type { WebhookEndpoint, WebhookTestResult } from '@carabiner/sdk'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Badge } from '../../ui/data/badge.tsx'
import { Details } from '../../ui/data/details.tsx'
import { SelectField } from '../../ui/forms/select-field.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'
import { useWebhookChange } from './use-webhooks.ts'

type Props = { endpoint: WebhookEndpoint; onShow: (deliveryId: string) => void; onClose: () => void }

/** Sends an event with example data once, and shows what the receiver has answered. */
const TestDialog = ({ endpoint, onShow, onClose }: Props) => {
  const types = endpoint.event_types ?? eventTypes
  const [type, setType] = useState<EventType>(types[0] ?? 'registered_user.created')
  const send = useWebhookChange((api, event_type: EventType) =>
    api.webhookEndpoints.test(endpoint.id, { event_type }),
  )
  return (
    <Dialog
      isOpen
      onClose={onClose}
      width="md"
      title="Send a test event"
      description="The event contains example data and is signed like any other. It is sent once and listed as a delivery marked Test."
      actions={
        <>
          <Button onClick={onClose}>Close</Button>
          {send.data && <Button onClick={() => onShow(send.data.delivery_id)}>Show request</Button>}
          <Button kind="primary" isBusy={send.isPending} onClick={() => send.mutate(type)}>
            Send
          </Button>
        </>
      }
    >
      <SelectField
        label="Event type"
        value={type}
        onChange={setType}
        options={types.map(value => ({ value, label: value }))}
      />
      <div aria-live="polite">
        {send.error && <ErrorNote error={send.error} />}
        {send.data && <Result result={send.data} />}
      </div>
    </Dialog>
  )
}

const Result = ({ result: { delivered, attempt } }: { result: WebhookTestResult }) => (
  <Details
    entries={[
      [
        'Result',
        <Badge key="result" tone={delivered ? 'good' : 'bad'}>
          {delivered ? 'Accepted' : 'Not accepted'}
        </Badge>,
      ],
      ['Status', attempt.response_status],
      ['Duration', `${attempt.duration_ms} ms`],
      ['Error', attempt.error],
      [
        'Body',
        attempt.response_body && (
          <code key="body" className="font-mono text-xs break-all">
            {attempt.response_body}
          </code>
        ),
      ],
    ]}
  />
)

export default TestDialog
