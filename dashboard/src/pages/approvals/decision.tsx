import { approvalBounds } from '@carabiner/contract/approval-bounds'
import { valuesOf } from '@carabiner/contract/approval-values'
import type { Approval, ApprovalCall } from '@carabiner/sdk'
import { useMemo, useState } from 'react'
import { useDraft } from '../../drafts/use-draft.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/forms/field.tsx'
import { Textarea } from '../../ui/forms/textarea.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'
import { hasEnded, needsPasskey, useApprovalPasskeys, useDecide } from './use-approvals.ts'

const NO_REASON = { reason: '' }

/** What the person has opened and written, and the request that decides. The reason is kept as a draft. */
export const useDecision = (approval: Approval, call: ApprovalCall | undefined) => {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const draft = useDraft(`approval.${approval.id}`, NO_REASON)
  const { decide, isPending, variables, error } = useDecide(draft.discard)
  const { data: passkeys, error: passkeyError } = useApprovalPasskeys(approval)
  const needed = needsPasskey(approval)
  const folded = useMemo(
    () => (call ? valuesOf(call.arguments).filter(value => value.folded !== null) : []),
    [call],
  )
  return {
    opened,
    open: (path: string) => setOpened(previous => new Set(previous).add(path)),
    /** Count of the values that the person has to open before approving. */
    unopened: folded.filter(({ path }) => !opened.has(path)).length,
    reason: draft.values.reason,
    setReason: (reason: string) => draft.change({ reason }),
    /** Null: the approval needs no passkey. Undefined: they are loading. */
    passkeys: needed ? passkeys : null,
    decide: (decision: 'approve' | 'deny') => {
      if (call)
        decide({
          id: approval.id,
          digest: call.approval_digest,
          decision,
          ...(decision === 'approve' && needed && passkeys && { passkeys }),
          // The model reads the reason of a denial only.
          reason: decision === 'deny' ? draft.values.reason : '',
        })
    },
    pending: isPending ? variables?.decision : undefined,
    hasComeTooLate: hasEnded(error),
    error: (hasEnded(error) ? null : error) ?? (needed ? passkeyError : null),
  }
}

export type DecisionState = ReturnType<typeof useDecision>

export const DecisionReason = ({ decision: { reason, setReason } }: { decision: DecisionState }) => (
  <Field label="Reason for denying (optional)" hint="The model that made the call reads it.">
    <Textarea
      rows={2}
      value={reason}
      maxLength={approvalBounds.reasonLength}
      onChange={event => setReason(event.target.value)}
    />
  </Field>
)

const UNOPENED = 'approval-unopened'
const NO_PASSKEY = 'approval-no-passkey'

export const DecisionButtons = ({
  decision,
  isPending,
}: {
  decision: DecisionState
  /** Members have not approved yet. */
  isPending: boolean
}) => {
  const { unopened, pending, error, passkeys } = decision
  const mustOpen = isPending && unopened > 0
  const lacksPasskey = isPending && passkeys?.passkeys.length === 0
  const obstacles = [...(mustOpen ? [UNOPENED] : []), ...(lacksPasskey ? [NO_PASSKEY] : [])]
  return (
    <div className="grid w-full gap-2.5">
      {error && <DecisionError error={error} />}
      {lacksPasskey && (
        <p id={NO_PASSKEY} className="text-sm text-muted">
          This call is approved with a passkey, and you have none.{' '}
          <PageLink path="/settings/account" className="underline">
            Add a passkey
          </PageLink>{' '}
          in your account settings, and come back.
        </p>
      )}
      {mustOpen && (
        <p id={UNOPENED} className="text-sm text-muted">
          {unopened === 1
            ? 'One argument is folded. Open it to approve the call.'
            : `${unopened} arguments are folded. Open them to approve the call.`}
        </p>
      )}
      <div className="grid grid-cols-2 gap-2">
        <Button
          isBusy={pending === 'deny'}
          disabled={pending === 'approve'}
          onClick={() => decision.decide('deny')}
        >
          {isPending ? 'Deny' : 'Deny after all'}
        </Button>
        {isPending && (
          <Button
            kind="primary"
            isBusy={pending === 'approve'}
            disabled={obstacles.length > 0 || passkeys === undefined || pending === 'deny'}
            {...(obstacles.length > 0 && { 'aria-describedby': obstacles.join(' ') })}
            onClick={() => decision.decide('approve')}
          >
            {passkeys === null ? 'Approve once' : 'Approve with passkey'}
          </Button>
        )}
      </div>
    </div>
  )
}

/** The browser reports a closed dialog as an error. */
const DecisionError = ({ error }: { error: Error }) =>
  error.name === 'NotAllowedError' ? (
    <p role="alert" className="text-sm text-muted">
      Nothing was approved. The dialog was closed, or your passkey is not on this device.
    </p>
  ) : (
    <ErrorNote error={error} />
  )
