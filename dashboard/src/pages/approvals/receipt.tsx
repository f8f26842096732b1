import type { Approval, ApprovalCall } from '@carabiner/sdk'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { Button } from '../../ui/button.tsx'
import { download } from '../../ui/data/download.ts'
import { ErrorNote } from '../../ui/states/error-note.tsx'

type Props = {
  approval: Approval
  /** Absent if the person does not see it, or if it was deleted. */
  call?: ApprovalCall
}

const save = (name: string, content: object): void =>
  download(name, 'application/json', `${JSON.stringify(content, null, 2)}\n`)

/** What a member has signed with a passkey. Nothing if there is no such signature. */
export const Receipt = ({ approval: { id, decisions }, call }: Props) => {
  const request = useApiMutation(async api => save(`receipt-${id}.json`, await api.approvals.receipt(id)))
  if (!decisions.some(({ with_passkey: isSigned }) => isSigned)) return null
  return (
    <section className="grid gap-2 text-sm">
      <h3 className="font-semibold">Receipt</h3>
      <p className="text-muted">
        A member approved this call with a passkey. The receipt proves it without this service.{' '}
        <a href="/docs/guides/approvals#receipts" className="underline">
          How to verify it
        </a>
      </p>
      {request.error && <ErrorNote error={request.error} />}
      <div className="flex flex-wrap gap-2">
        <Button isBusy={request.isPending} onClick={() => request.mutate()}>
          Download receipt
        </Button>
        {call && (
          <Button
            onClick={() =>
              save(`call-${id}.json`, { approval_id: id, frozen_call: call.frozen_call, nonce: call.nonce })
            }
          >
            Download call
          </Button>
        )}
      </div>
    </section>
  )
}
