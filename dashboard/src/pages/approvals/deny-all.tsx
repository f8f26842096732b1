import { approvalBounds } from '@carabiner/contract/approval-bounds'
import type { Approval, Client } from '@carabiner/sdk'
import { useState } from 'react'
import { withSession } from '../../api/installation.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/forms/field.tsx'
import { Textarea } from '../../ui/forms/textarea.tsx'
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx'
import { toast } from '../../ui/overlays/toast.tsx'
import { hasEnded } from './use-approvals.ts'

/** Empty: all of this mode. */
type Filter = { userId?: string; callerId?: string }
type Props = { of: Filter; label: string }

/** Denies every pending call at once, for an agent that floods the list. */
export const DenyAll = ({ of, label }: Props) => {
  const [isOpen, setOpen] = useState(false)
  const [reason, setReason] = useState('')
  const request = useApiMutation((api, given: string) => denyPending(api, of, given), {
    invalidates: [['approvals']],
    onSuccess: count => {
      setOpen(false)
      setReason('')
      toast({ title: count === 1 ? '1 call denied' : `${count.toLocaleString()} calls denied` })
    },
  })
  return (
    <>
      <Button className="justify-self-start" onClick={() => setOpen(true)}>
        {label}
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        onConfirm={() => request.mutate(reason.trim())}
        title={titleOf(of)}
        action="Deny all"
        request={request}
        fields={
          <Field label="Reason (optional)" hint="The models that made the calls read it.">
            <Textarea
              rows={2}
              value={reason}
              maxLength={approvalBounds.reasonLength}
              onChange={event => setReason(event.target.value)}
            />
          </Field>
        }
      >
        None of these calls is made. A call that is repeated unchanged is denied for ten minutes without
        asking again.
      </ConfirmDialog>
    </>
  )
}

const titleOf = ({ userId, callerId }: Filter): string => {
  if (callerId !== undefined) return 'Deny all pending calls of this caller?'
  return userId === undefined ? 'Deny all pending calls?' : 'Deny all pending calls of this user?'
}

/** Returns how many calls were denied. Those that have ended meanwhile are left out. */
const denyPending = async (api: Client, { userId, callerId }: Filter, reason: string): Promise<number> => {
  const filter = {
    status: 'pending',
    approver: 'members',
    ...(userId !== undefined && { registered_user_id: userId }),
  } as const
  const pending: Approval[] = []
  for await (const approval of api.approvals.list(filter))
    if (callerId === undefined || approval.requested_by.id === callerId) pending.push(approval)
  let count = 0
  for (const { id, approval_digest } of pending)
    try {
      const body = { decision: 'deny', approval_digest, ...(reason !== '' && { reason }) } as const
      await withSession(() => api.approvals.decide(id, body))
      count++
    } catch (error) {
      if (!hasEnded(error)) throw error
    }
  return count
}
