import { type Approval, type ApprovalPasskeys, CarabinerError } from '@carabiner/sdk'
import { useQueryClient } from '@tanstack/react-query'
import { withSession } from '../../api/installation.ts'
import { useApi } from '../../api/use-api.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useList } from '../../api/use-list.ts'
import { signApproval } from './sign-approval.ts'

const REFRESH_MS = 5_000

const isOpen = ({ ended_at: endedAt }: Approval): boolean => endedAt === null

/** The status, without waiting for the service to end what has expired. */
export const statusOf = (approval: Approval, now: number): Approval['status'] =>
  (isUndecided(approval.status) || approval.status === 'approved') && Date.parse(approval.expires_at) <= now
    ? 'expired'
    : approval.status

export const isUndecided = (status: Approval['status']): boolean =>
  status === 'pending' || status === 'confirming'

/** Without a rule, the default of the policy asks, and members decide. */
export const canMembersDecide = ({ rules }: Approval): boolean =>
  rules.length === 0 || rules.some(({ approvers }) => approvers.some(({ type }) => type === 'members'))

export const needsPasskey = ({ rules }: Approval): boolean => rules.some(({ step_up: isAsked }) => isAsked)

/** A member has approved, and others still have to. */
export const haveMembersApproved = ({ decisions }: Approval): boolean =>
  decisions.some(({ by, decision }) => by.type === 'members' && decision === 'approve')

export type StatusFilter = Approval['status'] | 'all'

export const useApprovals = (status: StatusFilter, user: string | undefined) =>
  useList(
    ['approvals', 'list', status, user],
    (api, options) =>
      api.approvals.list(
        { ...(status !== 'all' && { status }), ...(user !== undefined && { registered_user_id: user }) },
        options,
      ),
    { refetchInterval: rows => (status === 'pending' || rows.some(isOpen) ? REFRESH_MS : false) },
  )

export const useApproval = (id: string) =>
  useApiQuery(['approvals', 'one', id], (api, options) => api.approvals.get(id, options), {
    refetchInterval: ({ state }) => (state.data && isOpen(state.data) ? REFRESH_MS : false),
  })

/** What is asked about. It never changes. */
export const useApprovalCall = (id: string) =>
  useApiQuery(['approval-call', id], (api, options) => api.approvals.call(id, options))

/** Loaded before the person approves, because a browser may show its dialog only right after a click. */
export const useApprovalPasskeys = (approval: Approval) =>
  useApiQuery(
    ['approval-passkeys', approval.id],
    (api, options) => api.approvals.passkeys(approval.id, options),
    { enabled: needsPasskey(approval) && isUndecided(approval.status) },
  )

/** `passkeys`: those of which one signs. */
type Decision = { decision: 'approve' | 'deny'; reason: string; passkeys?: ApprovalPasskeys }
/** A call to decide about: the digest is that of what the person has seen. */
type Subject = { id: string; digest: string }

/** Asks for a recent sign-in first. If the call was no longer waiting, everything is loaded again. */
export const useDecide = (onDecided: () => void) => {
  const { scopeKey } = useApi()
  const queryClient = useQueryClient()
  const mutation = useApiMutation(
    async (api, { id, digest, decision, reason, passkeys }: Decision & Subject) => {
      const assertion = passkeys && (await signApproval(passkeys))
      return withSession(() =>
        api.approvals.decide(id, {
          decision,
          approval_digest: digest,
          ...(reason.trim() !== '' && { reason: reason.trim() }),
          ...(assertion && { assertion }),
        }),
      )
    },
    { invalidates: [['approvals']], onSuccess: onDecided },
  )
  const decide = (input: Decision & Subject): void =>
    mutation.mutate(input, {
      onError: error => {
        if (hasEnded(error)) void queryClient.invalidateQueries({ queryKey: [...scopeKey, 'approvals'] })
      },
    })
  return { ...mutation, decide }
}

export const hasEnded = (error: unknown): boolean =>
  error instanceof CarabinerError && error.code === 'approval_ended'
