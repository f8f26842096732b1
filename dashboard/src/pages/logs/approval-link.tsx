import type { Approval, ToolCallDetail } from '@carabiner/sdk'
import { useApiQuery } from '../../api/use-api-query.ts'
import { PageLink } from '../../ui/page-link.tsx'

/** The request is stored after the call has started. */
const MAX_DELAY_MS = 60_000

/** Opens the approval that a call waits for; if several calls of the tool were waiting, the approvals of its user. */
export const ApprovalLink = ({ call }: { call: ToolCallDetail }) => {
  const { registered_user_id: userId } = call
  const { data, isPending } = useApiQuery(['approvals', 'of-user', userId], async (api, options) => {
    const filter = { registered_user_id: userId, limit: 100 }
    return (await api.approvals.list(filter, options).page()).data
  })
  if (isPending) return null
  const [found, ...others] = (data ?? []).filter(approval => mayBelongTo(approval, call))
  const isFound = found !== undefined && others.length === 0
  return (
    <PageLink
      path={isFound ? `/approvals?approval=${found.id}` : `/approvals?status=all&user=${userId}`}
      className="inline-flex min-h-6 items-center text-sm underline"
    >
      {isFound ? 'Open the approval' : 'Show the approvals of this user'}
    </PageLink>
  )
}

/** The record of a call that waits does not name its approval, because it is the same for all repetitions. */
const mayBelongTo = (approval: Approval, call: ToolCallDetail): boolean => {
  const startedAt = Date.parse(call.started_at)
  return (
    approval.tool === call.tool &&
    approval.connector_slug === call.connector &&
    approval.tool_pack_id === call.tool_pack_id &&
    approval.account_label === call.account_label &&
    Date.parse(approval.requested_at) <= startedAt + MAX_DELAY_MS &&
    (approval.ended_at === null || Date.parse(approval.ended_at) >= startedAt)
  )
}
