import type { WebhookReplay } from '@carabiner/sdk'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { SelectField } from '../../ui/forms/select-field.tsx'
import { TextField } from '../../ui/forms/text-field.tsx'
import { FormDialog } from '../../ui/overlays/form-dialog.tsx'
import { toast } from '../../ui/overlays/toast.tsx'
import { useWebhookChange } from './use-webhooks.ts'

const KINDS = [
  { value: 'failed', label: 'Failed deliveries' },
  { value: 'delivered', label: 'Successful deliveries' },
  {
    value: 'missed',
    label: 'Missed events',
    hint: 'Events from the time the endpoint was disabled.',
  },
] as const
type Kind = (typeof KINDS)[number]['value']

/** Local date and time of an input, as ISO 8601. */
const toTime = (local: string): string | undefined =>
  local === '' ? undefined : new Date(local).toISOString()

export const ReplayButton = ({ endpointId }: { endpointId: string }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>Replay…</Button>
      {isOpen && <ReplayDialog endpointId={endpointId} onClose={() => setOpen(false)} />}
    </>
  )
}

const ReplayDialog = ({ endpointId, onClose }: { endpointId: string; onClose: () => void }) => {
  const [status, setStatus] = useState<Kind>('failed')
  const [since, setSince] = useState('')
  const [until, setUntil] = useState('')
  const replay = useWebhookChange(
    async (api, body: WebhookReplay) => {
      let total = 0
      for (let cursor: string | undefined; ; ) {
        const result = await api.webhookEndpoints.replay(endpointId, { ...body, ...(cursor && { cursor }) })
        total += result.deliveries
        if (result.next_cursor === null) return total
        cursor = result.next_cursor
      }
    },
    total => {
      toast({ title: total === 1 ? 'Redelivery started' : `${total} redeliveries started` })
      onClose()
    },
  )
  const submit = (): void => {
    const [from, to] = [toTime(since), toTime(until)]
    replay.mutate({ status, ...(from && { since: from }), ...(to && { until: to }) })
  }
  return (
    <FormDialog
      title="Replay deliveries"
      description="Events keep their IDs, so receivers that skip known IDs process each event once."
      action="Replay"
      onClose={onClose}
      onSubmit={submit}
      request={replay}
    >
      <SelectField label="Deliveries" value={status} onChange={setStatus} options={KINDS} />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="From"
          hint={status === 'missed' ? 'Required.' : 'Optional.'}
          type="datetime-local"
          required={status === 'missed'}
          value={since}
          onChange={setSince}
        />
        <TextField
          label="Until"
          hint="Optional. Default: now."
          type="datetime-local"
          value={until}
          onChange={setUntil}
        />
      </div>
    </FormDialog>
  )
}
