import type { WebhookReplay } from '@carabiner/sdk'
import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/forms/field.tsx'
import { Input } from '../../ui/forms/input.tsx'
import { Select } from '../../ui/forms/select.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { DialogActions } from '../../ui/overlays/dialog-actions.tsx'
import { toast } from '../../ui/overlays/toast.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'
import { useWebhookChange } from './use-webhooks.ts'

const KINDS = [
  { value: 'failed', label: 'Failed deliveries' },
  { value: 'delivered', label: 'Delivered ones again' },
  {
    value: 'missed',
    label: 'Missed events',
    hint: 'Events without a delivery, while the endpoint was disabled.',
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
      toast({ title: total === 1 ? '1 delivery is made again' : `${total} deliveries are made again` })
      onClose()
    },
  )
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const [from, to] = [toTime(since), toTime(until)]
    replay.mutate({ status, ...(from && { since: from }), ...(to && { until: to }) })
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Replay deliveries"
      description="Events keep their IDs, so receivers that skip known IDs process each once."
    >
      <form className="grid gap-5" onSubmit={submit}>
        <Field label="Which">
          <Select value={status} onChange={setStatus} options={KINDS} />
        </Field>
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="From" hint={status === 'missed' ? 'Required.' : 'Optional.'}>
            <Input
              type="datetime-local"
              required={status === 'missed'}
              value={since}
              onChange={event => setSince(event.target.value)}
            />
          </Field>
          <Field label="Until" hint="Optional. Default: now.">
            <Input type="datetime-local" value={until} onChange={event => setUntil(event.target.value)} />
          </Field>
        </div>
        {replay.error && <ErrorNote error={replay.error} />}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={replay.isPending}>
            Replay
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
