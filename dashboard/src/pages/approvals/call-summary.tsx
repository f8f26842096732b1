import type { Approval, ApprovalCall } from '@carabiner/sdk'
import { TriangleAlert } from 'lucide-react'
import { loadUser } from '../../api/load-user.ts'
import { useApi } from '../../api/use-api.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useConnectors } from '../../api/use-connectors.ts'
import { ConnectorLogo } from '../../ui/data/connector-logo.tsx'
import { RelativeTime, useNow } from '../../ui/data/relative-time.tsx'
import { Revealed } from '../../ui/data/revealed.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { APPROVAL_STATUSES, VOID_REASONS } from './approval-status.tsx'
import { CallerName } from './caller-name.tsx'
import { haveMembersApproved, statusOf } from './use-approvals.ts'

type Props = { approval: Approval; call: ApprovalCall }

/** What the call will do, with which account, for whom, and who has made it. */
export const CallSummary = ({ approval, call }: Props) => (
  <section aria-label="Call" className="grid gap-4">
    <div className="flex items-start gap-3">
      <Logo slug={approval.connector_slug} />
      <div className="grid min-w-0 gap-1">
        <h3 className="text-lg/6 font-semibold">
          <Revealed text={call.connector_name} />
          {': '}
          {call.is_of_mcp_server ? <Revealed text={approval.tool} /> : <Revealed text={call.tool_title} />}
          <span className="font-normal text-muted">
            <Account approval={approval} call={call} />
            {', for '}
            <UserTitle id={approval.registered_user_id} />
          </span>
        </h3>
        {call.is_of_mcp_server && (
          <p className="text-sm text-muted">
            The server calls this tool “<Revealed text={call.tool_title} />
            ”.
          </p>
        )}
        <p className="text-sm text-muted">
          Requested by <CallerName approval={approval} />, <RelativeTime at={approval.requested_at} />
        </p>
      </div>
    </div>
    {call.is_destructive && (
      <p className="flex gap-2.5 rounded-popup bg-bad-soft px-4 py-3 text-sm text-bad">
        <TriangleAlert className="mt-0.5 size-4 shrink-0" aria-hidden="true" />
        {call.is_of_mcp_server
          ? 'Destructive: the effects of this server’s tool are not verified, so it may change or delete data.'
          : 'Destructive: this call may change or delete data.'}
      </p>
    )}
  </section>
)

const Logo = ({ slug }: { slug: string }) => {
  const { data: connectors = [] } = useConnectors({ isComplete: true })
  return <ConnectorLogo connector={connectors.find(each => each.slug === slug)} />
}

/** Anyone may choose the label, so the name that the provider gives the account comes first. */
const Account = ({ approval: { account_label: label }, call: { account } }: Props) => {
  const identity = account ?? label
  if (identity === null) return <>, without an account</>
  return (
    <>
      {', with '}
      <strong className="font-semibold text-ink">
        <Revealed text={identity} />
      </strong>
      {label !== null && label !== identity && (
        <>
          {' '}
          (labeled “<Revealed text={label} />
          ”)
        </>
      )}
    </>
  )
}

/** As a link. The application chooses the names of its users. */
const UserTitle = ({ id }: { id: string }) => {
  const { api } = useApi()
  const { data: user } = useApiQuery(['users', 'one', id], () => loadUser(api, id))
  return (
    <PageLink path={`/users?user=${id}`} className="font-semibold text-ink underline">
      <Revealed text={user ? (user.origin_user_name ?? user.origin_user_id) : id.slice(0, 8)} />
    </PageLink>
  )
}

/** What has become of the call. Nothing while it waits. */
export const ApprovalOutcome = ({
  approval,
  hasComeTooLate = false,
}: {
  approval: Approval
  /** The person has decided, but the call was no longer waiting. */
  hasComeTooLate?: boolean
}) => {
  const status = statusOf(approval, useNow())
  const { decided_at: decidedAt, decision_reason: reason, tool_call_id: callId } = approval
  // A region that is already on the page when its content changes is read out.
  if (status === 'pending' && !haveMembersApproved(approval))
    return <section aria-label="Outcome" role="status" className="sr-only" />
  return (
    <section
      aria-label="Outcome"
      role="status"
      className="grid gap-1.5 rounded-popup bg-hover px-4 py-3 text-sm"
    >
      {hasComeTooLate && (
        <p className="font-medium text-warn">
          Your decision has no effect: somebody else decided first, or time ran out.
        </p>
      )}
      <p className="font-medium">
        {status === 'pending'
          ? 'A member has approved. Others still have to.'
          : approval.void_reason === null
            ? APPROVAL_STATUSES[status].meaning
            : VOID_REASONS[approval.void_reason]}
      </p>
      {decidedAt !== null && (
        <p className="text-muted">
          Decided <RelativeTime at={decidedAt} />
          {reason !== null && (
            <>
              {', with the reason “'}
              <Revealed text={reason} />”
            </>
          )}
        </p>
      )}
      {callId !== null && (
        <p>
          <PageLink
            path={`/logs?range=30d&call=${callId}`}
            className="inline-flex min-h-6 items-center underline"
          >
            Open the record of the call
          </PageLink>
        </p>
      )}
    </section>
  )
}

/** Why a person is asked. */
export const AskingRules = ({ rules }: Pick<Approval, 'rules'>) => (
  <section className="grid gap-1.5 text-sm">
    <h3 className="font-semibold">Why you are asked</h3>
    {rules.length === 0 ? (
      <p className="text-muted">No rule decides about this call, and the policy asks by default.</p>
    ) : (
      <ul className="grid gap-1">
        {rules.map(({ name, reason, step_up: needsPasskey, prevent_self_approval: notUser }) => (
          <li key={name}>
            <span className="font-medium">
              Rule “<Revealed text={name} />”
            </span>
            {reason !== null && (
              <span className="text-muted">
                {': '}
                <Revealed text={reason} />
              </span>
            )}
            {needsPasskey && <span className="block text-muted">A member approves with a passkey.</span>}
            {notUser && <span className="block text-muted">The user cannot approve it as a member.</span>}
          </li>
        ))}
      </ul>
    )}
  </section>
)
