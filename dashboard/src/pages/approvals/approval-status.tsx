import type { Approval } from '@carabiner/sdk'
import { Badge, type Tone } from '../../ui/data/badge.tsx'
import { useNow } from '../../ui/data/relative-time.tsx'
import { formatTimeLeft } from '../../ui/data/time-left.tsx'
import { isUndecided, statusOf } from './use-approvals.ts'

type Status = Approval['status']

/** `meaning`: what has happened to the call, and what happens next. */
export const APPROVAL_STATUSES: Record<Status, { label: string; tone: Tone; meaning: string }> = {
  pending: { label: 'Pending', tone: 'info', meaning: 'The call waits for a decision.' },
  confirming: {
    label: 'Confirming',
    tone: 'info',
    meaning: 'The user has approved. The application still has to confirm that it was this user.',
  },
  approved: {
    label: 'Approved',
    tone: 'good',
    meaning: 'Approved once. The call runs when its caller repeats it.',
  },
  executing: { label: 'Running', tone: 'info', meaning: 'Approved. The call is running now.' },
  done: { label: 'Done', tone: 'good', meaning: 'Approved, and carried out once.' },
  failed: { label: 'Failed', tone: 'bad', meaning: 'Approved, but the call failed. Its record says why.' },
  unknown: {
    label: 'Result unknown',
    tone: 'warn',
    meaning: 'Approved, but the provider’s answer was lost. The call may have been carried out.',
  },
  denied: { label: 'Denied', tone: 'bad', meaning: 'Denied. The call was not made.' },
  expired: { label: 'Expired', tone: 'neutral', meaning: 'Time ran out. The call was not made.' },
  withdrawn: {
    label: 'Withdrawn',
    tone: 'neutral',
    meaning: 'The request was withdrawn. The call was not made.',
  },
  void: {
    label: 'Void',
    tone: 'neutral',
    meaning: 'Something changed that the decision depends on. The call was not made.',
  },
}

/** Why an approval is void. */
export const VOID_REASONS: Record<NonNullable<Approval['void_reason']>, string> = {
  account_relinked: 'The account was connected again. The call was not made.',
  account_unshared: 'The account is no longer shared with the user. The call was not made.',
  account_removed: 'The account was disconnected. The call was not made.',
  tool_changed: 'The definition of the tool has changed. The call was not made.',
  preview_changed: 'What the call refers to has changed. The call was not made.',
  policy_changed: 'The policy denies the call now, or asks others. The call was not made.',
  user_deactivated: 'The user was deactivated. The call was not made.',
  approver_removed: 'A person who approved it may no longer approve calls. The call was not made.',
  sign_in_changed: 'The identity provider of the users has changed. The call was not made.',
}

export const ApprovalStatus = ({ approval }: { approval: Approval }) => {
  const { label, tone } = APPROVAL_STATUSES[statusOf(approval, useNow())]
  return <Badge tone={tone}>{label}</Badge>
}

/** "14 minutes left": until the decision, or until an approved call must have run. */
export const ApprovalTimeLeft = ({ approval }: { approval: Approval }) => {
  const now = useNow()
  const status = statusOf(approval, now)
  if (!isUndecided(status) && status !== 'approved') return null
  const { expires_at: at } = approval
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()} className="whitespace-nowrap">
      {formatTimeLeft(Date.parse(at), now)} left
    </time>
  )
}
