import type { Approval } from '@carabiner/sdk'
import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useConnectors } from '../../api/use-connectors.ts'
import { UserFilter } from '../../pickers/user-filter.tsx'
import { useMay } from '../../shell/use-session.ts'
import { buttonClass } from '../../ui/button.tsx'
import { ConnectorLogo } from '../../ui/data/connector-logo.tsx'
import { RelativeTime } from '../../ui/data/relative-time.tsx'
import { Revealed } from '../../ui/data/revealed.tsx'
import { UserName } from '../../ui/data/user-name.tsx'
import { Filter } from '../../ui/lists/filter.tsx'
import { FilterBar } from '../../ui/lists/filter-bar.tsx'
import { ListCard } from '../../ui/lists/list-card.tsx'
import type { Column } from '../../ui/lists/table.tsx'
import { idOf, useRowOpener } from '../../ui/lists/use-row-opener.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState } from '../../ui/states/empty-state.tsx'
import type { ApprovalSearch } from './approval-search.ts'
import { APPROVAL_STATUSES, ApprovalStatus, ApprovalTimeLeft } from './approval-status.tsx'
import { CallerName } from './caller-name.tsx'
import { DenyAll } from './deny-all.tsx'
import { type StatusFilter, useApprovals } from './use-approvals.ts'

const ApprovalDrawer = lazy(() => import('./approval-drawer.tsx'))
const route = getRouteApi('/o/$organization/$mode/approvals')

/** The connector as its logo and title, and the name of the tool. */
const Tool = ({ approval: { connector_slug: slug, tool } }: { approval: Approval }) => {
  const { data: connectors = [] } = useConnectors({ isComplete: true })
  const connector = connectors.find(each => each.slug === slug)
  return (
    <span className="flex min-w-0 items-center gap-2.5">
      <ConnectorLogo connector={connector} />
      <span className="grid min-w-0">
        <span>
          <Revealed text={connector?.name ?? slug} />
        </span>
        <code className="font-mono text-xs font-normal text-muted">{tool}</code>
      </span>
    </span>
  )
}

const Status = ({ approval }: { approval: Approval }) => (
  <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-0.5">
    <ApprovalStatus approval={approval} />
    <span className="text-xs text-muted">
      <ApprovalTimeLeft approval={approval} />
    </span>
  </span>
)

const COLUMNS: readonly Column<Approval>[] = [
  { id: 'tool', header: 'Tool', cell: approval => <Tool approval={approval} /> },
  { id: 'status', header: 'Status', cell: approval => <Status approval={approval} /> },
  {
    id: 'user',
    header: 'User',
    isWide: true,
    cell: ({ registered_user_id: id }) => (
      <bdi>
        <UserName id={id} />
      </bdi>
    ),
  },
  {
    id: 'account',
    header: 'Account',
    isWide: true,
    cell: ({ account_label: label }) => (label === null ? 'None' : <Revealed text={label} />),
  },
  { id: 'caller', header: 'Caller', isWide: true, cell: approval => <CallerName approval={approval} /> },
  {
    id: 'requested',
    header: 'Requested',
    align: 'end',
    isWide: true,
    cell: ({ requested_at: at }) => <RelativeTime at={at} />,
  },
]

/** An approval on a phone. */
const approvalCard = (approval: Approval) => (
  <span className="grid w-full min-w-0 gap-2 text-start font-normal">
    <span className="flex min-w-0 items-start justify-between gap-3">
      <span className="min-w-0 font-medium">
        <Tool approval={approval} />
      </span>
      <ApprovalStatus approval={approval} />
    </span>
    <span className="text-sm">
      <bdi>
        <UserName id={approval.registered_user_id} />
      </bdi>
      {approval.account_label !== null && (
        <>
          {' · '}
          <Revealed text={approval.account_label} />
        </>
      )}
    </span>
    <span className="flex flex-wrap justify-between gap-x-3 text-xs text-muted">
      <CallerName approval={approval} />
      <span>
        <RelativeTime at={approval.requested_at} />
        <CardTimeLeft approval={approval} />
      </span>
    </span>
  </span>
)

const CardTimeLeft = ({ approval }: { approval: Approval }) =>
  approval.ended_at === null && (
    <>
      {' · '}
      <ApprovalTimeLeft approval={approval} />
    </>
  )

const STATUS_OPTIONS = [
  { value: 'pending', label: 'Pending' },
  { value: 'all', label: 'All' },
  ...(
    ['approved', 'executing', 'done', 'failed', 'unknown', 'denied', 'expired', 'withdrawn', 'void'] as const
  ).map(value => ({ value, label: APPROVAL_STATUSES[value].label })),
] as const

const ApprovalsPage = () => {
  const search = route.useSearch()
  const { user, approval } = search
  const status = STATUS_OPTIONS.find(({ value }) => value === search.status)?.value ?? 'pending'
  const navigate = route.useNavigate()
  const mayApprove = useMay('approve')
  const renderOpener = useRowOpener('approval', idOf)
  const list = useApprovals(status, user)
  const set = (change: ApprovalSearch): void =>
    void navigate({ search: previous => ({ ...previous, ...change }) })
  return (
    <Page
      title="Approvals"
      note={
        mayApprove
          ? 'Calls that wait because a policy asks about them. An approved call runs exactly once.'
          : 'Calls that wait because a policy asks about them. Only administrators and security members see and decide calls.'
      }
    >
      <FilterBar>
        <UserFilter value={user} onChange={id => set({ user: id })} />
        <Filter
          label="Status"
          value={status}
          options={STATUS_OPTIONS}
          onChange={next => set({ status: next === 'pending' ? undefined : next })}
        />
        {mayApprove && status === 'pending' && list.rows.length > 1 && (
          <span className="ms-auto">
            <DenyAll of={user === undefined ? {} : { userId: user }} label="Deny all…" />
          </span>
        )}
      </FilterBar>
      <ListCard
        list={list}
        loading={{ label: 'Loading approvals', rows: 4 }}
        empty={<NoApprovals status={status} user={user} onShowAll={() => set({ status: 'all' })} />}
        label="Approvals"
        columns={COLUMNS}
        card={approvalCard}
        rowKey={idOf}
        openKey={approval}
        renderOpener={renderOpener}
      />
      <Suspense>
        {approval !== undefined && (
          <ApprovalDrawer key={approval} approvalId={approval} onClose={() => set({ approval: undefined })} />
        )}
      </Suspense>
    </Page>
  )
}

type NoApprovalsProps = { status: StatusFilter; user: string | undefined; onShowAll: () => void }

const NoApprovals = ({ status, user, onShowAll }: NoApprovalsProps) =>
  status === 'pending' && user === undefined ? (
    <EmptyState
      title="No calls are waiting"
      action={
        <span className="flex flex-wrap justify-center gap-2">
          <a href="/docs/guides/approvals" className={buttonClass()}>
            Read the guide
          </a>
          <button type="button" className={buttonClass('quiet')} onClick={onShowAll}>
            Show all approvals
          </button>
        </span>
      }
    >
      A policy rule with the effect “ask” holds a call here until somebody approves exactly that call, or
      denies it. New calls appear here.
    </EmptyState>
  ) : (
    <EmptyState title="No approvals found">
      {user === undefined ? 'No approval has this status.' : 'No approval of this user has this status.'}
    </EmptyState>
  )

export default ApprovalsPage
