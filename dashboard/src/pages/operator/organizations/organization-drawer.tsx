import type { InstalledOrganization } from '@carabiner/contract'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { cx } from '../../../ui/cx.ts'
import { Badge } from '../../../ui/data/badge.tsx'
import { Details } from '../../../ui/data/details.tsx'
import { ProgressBar } from '../../../ui/data/progress-bar.tsx'
import { RelativeTime } from '../../../ui/data/relative-time.tsx'
import { Drawer } from '../../../ui/overlays/drawer.tsx'
import { ErrorState } from '../../../ui/states/error-state.tsx'
import { SkeletonRows } from '../../../ui/states/skeleton.tsx'
import { PLANS } from '../../settings/organization/plans.ts'
import { STATES } from './states.ts'
import { useOrganization } from './use-organizations.ts'

const OrganizationDialogs = lazy(() => import('./organization-dialogs.tsx'))

export type OrganizationAction = 'plan' | 'suspend' | 'activate' | 'delete'

const OrganizationDrawer = ({ id, onClose }: { id: string; onClose: () => void }) => {
  const { data, error, refetch } = useOrganization(id)
  const [asked, setAsked] = useState<OrganizationAction | null>(null)
  return (
    <Drawer
      isOpen
      onClose={onClose}
      title={data?.name ?? 'Organization'}
      subtitle={data && <Badge tone={STATES[data.state].tone}>{STATES[data.state].label}</Badge>}
      {...(data && { actions: <Actions organization={data} ask={setAsked} /> })}
    >
      {data ? (
        <Facts organization={data} />
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <SkeletonRows label="Loading the organization" isInCard={false} />
      )}
      <Suspense>
        {asked && data && (
          <OrganizationDialogs
            asked={asked}
            organization={data}
            onClose={() => setAsked(null)}
            onDeleted={() => {
              setAsked(null)
              onClose()
            }}
          />
        )}
      </Suspense>
    </Drawer>
  )
}

const Facts = ({ organization }: { organization: InstalledOrganization }) => {
  const { id, state, plan, call_limit, cycle_calls, cycle_limit, members, registered_users } = organization
  return (
    <>
      {state !== 'active' && <StateNote state={state} />}
      {cycle_limit !== null && <ProgressBar label="Calls this cycle" value={cycle_calls} max={cycle_limit} />}
      <Details
        entries={[
          ['Plan', PLANS[plan].label],
          ['Calls this cycle', cycle_limit === null ? `${cycle_calls.toLocaleString()}, no limit` : null],
          ['Own limit', call_limit === null ? null : `${call_limit.toLocaleString()} calls per cycle`],
          ['Members', members.toLocaleString()],
          ['Registered Users', registered_users.toLocaleString()],
          ['Created', <RelativeTime key="created" at={organization.created_at} isAbsolute />],
          [
            'ID',
            <span key="id" className="-my-1.5 flex items-center gap-1">
              <code className="min-w-0 font-mono text-xs break-all">{id}</code>
              <CopyButton text={id} label="Copy the ID" />
            </span>,
          ],
        ]}
      />
    </>
  )
}

const NOTES: Partial<Record<InstalledOrganization['state'], string>> = {
  suspended:
    'API, MCP and Link requests are rejected with organization_suspended, and jobs skip it. Nothing was deleted. Its members can read, but not change anything.',
  arriving: 'It is being copied to this installation. It is served when the move has finished.',
  leaving: 'It is being moved to another installation. Its requests are answered with 503 meanwhile.',
  moved: 'Another installation serves it.',
  deleting:
    'It is not served any more. Its rows are deleted in the background, after its tokens were revoked.',
}

const StateNote = ({ state }: { state: InstalledOrganization['state'] }) => (
  <p className="rounded-control bg-ground px-3.5 py-3 text-sm text-muted">{NOTES[state]}</p>
)

const Actions = ({
  organization: { id, state },
  ask,
}: {
  organization: InstalledOrganization
  ask: (action: OrganizationAction) => void
}) => {
  if (state !== 'active' && state !== 'suspended') return null
  return (
    <>
      <Link
        to="/o/$organization/$mode"
        params={{ organization: id, mode: 'production' }}
        className={cx(buttonClass('primary'), 'max-md:flex-1')}
      >
        Open
      </Link>
      <Button className="max-md:flex-1" onClick={() => ask('plan')}>
        Change plan
      </Button>
      {state === 'active' ? (
        <Button className="max-md:flex-1" onClick={() => ask('suspend')}>
          Suspend
        </Button>
      ) : (
        <Button className="max-md:flex-1" onClick={() => ask('activate')}>
          Activate
        </Button>
      )}
      <Button kind="quiet-danger" className="max-md:flex-1 md:ms-auto" onClick={() => ask('delete')}>
        Delete
      </Button>
    </>
  )
}

export default OrganizationDrawer
