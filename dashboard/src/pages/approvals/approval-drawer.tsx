import { type Approval, CarabinerError } from '@carabiner/sdk'
import { useMay } from '../../shell/use-session.ts'
import { useNow } from '../../ui/data/relative-time.tsx'
import { Drawer } from '../../ui/overlays/drawer.tsx'
import { NotLoaded } from '../../ui/states/not-loaded.tsx'
import { ApprovalFacts } from './approval-facts.tsx'
import { ApprovalStatus, ApprovalTimeLeft } from './approval-status.tsx'
import { ApprovalOutcome, AskingRules, CallSummary } from './call-summary.tsx'
import { CallValues } from './call-values.tsx'
import { DecisionButtons, DecisionReason, useDecision } from './decision.tsx'
import { DenyAll } from './deny-all.tsx'
import { Receipt } from './receipt.tsx'
import {
  canMembersDecide,
  haveMembersApproved,
  isUndecided,
  statusOf,
  useApproval,
  useApprovalCall,
} from './use-approvals.ts'

type Props = { approvalId: string; onClose: () => void }

/** One approval: what is asked about, and the decision. Its ID is in the URL that callers get. */
const ApprovalDrawer = ({ approvalId, onClose }: Props) => {
  const mayApprove = useMay('approve')
  const { data: approval, error, refetch } = useApproval(approvalId)
  if (approval && mayApprove && canMembersDecide(approval))
    return <CallDrawer approval={approval} onClose={onClose} />
  return (
    <Drawer
      isOpen
      onClose={onClose}
      title="Approval"
      subtitle={approval && <StatusLine approval={approval} />}
    >
      {approval ? (
        <>
          <p className="rounded-popup bg-info-soft px-4 py-3 text-sm text-info">
            {canMembersDecide(approval)
              ? 'Only administrators and security members see and decide calls.'
              : 'The user decides about this call, so only the user sees it.'}
          </p>
          <ApprovalState approval={approval} />
        </>
      ) : (
        <NotLoaded error={error} onRetry={refetch} label="Loading the approval" isInCard={false} />
      )}
    </Drawer>
  )
}

const StatusLine = ({ approval }: { approval: Approval }) => (
  <span className="flex flex-wrap items-center gap-2 pt-1">
    <ApprovalStatus approval={approval} />
    <ApprovalTimeLeft approval={approval} />
  </span>
)

/** Everything about it except the call. */
const ApprovalState = ({ approval }: { approval: Approval }) => (
  <>
    <ApprovalOutcome approval={approval} />
    <AskingRules rules={approval.rules} />
    <Receipt approval={approval} />
    <ApprovalFacts approval={approval} />
  </>
)

const isDeleted = (error: unknown): boolean =>
  error instanceof CarabinerError && error.code === 'approval_call_deleted'

const CallDrawer = ({ approval, onClose }: { approval: Approval; onClose: () => void }) => {
  const status = statusOf(approval, useNow())
  const { data: call, error, refetch } = useApprovalCall(approval.id)
  const decision = useDecision(approval, call)
  const isPending = isUndecided(status) && !haveMembersApproved(approval)
  const canDecide = isUndecided(status) || status === 'approved'
  return (
    <Drawer
      isOpen
      onClose={onClose}
      title={isPending ? 'Approve this call?' : 'Approval'}
      subtitle={<StatusLine approval={approval} />}
      actions={call && canDecide && <DecisionButtons decision={decision} isPending={isPending} />}
    >
      {call ? (
        <>
          <ApprovalOutcome approval={approval} hasComeTooLate={decision.hasComeTooLate} />
          <CallSummary approval={approval} call={call} />
          <AskingRules rules={approval.rules} />
          <CallValues approval={approval} call={call} opened={decision.opened} onOpen={decision.open} />
          {canDecide && <DecisionReason decision={decision} />}
          <Receipt approval={approval} call={call} />
          <ApprovalFacts approval={approval} isBelowCall />
          {isPending && (
            <DenyAll of={{ callerId: approval.requested_by.id }} label="Deny all calls of this caller…" />
          )}
        </>
      ) : isDeleted(error) ? (
        <>
          <p className="text-sm text-muted">
            The arguments and the request were deleted 24 hours after the approval ended.
          </p>
          <ApprovalState approval={approval} />
        </>
      ) : (
        <NotLoaded error={error} onRetry={refetch} label="Loading the call" isInCard={false} />
      )}
    </Drawer>
  )
}

export default ApprovalDrawer
