import type { InstalledOrganization } from '@carabiner/contract'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { cx } from '../../../ui/cx.ts'
import { Badge } from '../../../ui/data/badge.tsx'
import { Copyable } from '../../../ui/data/copyable.tsx'
import { Details } from '../../../ui/data/details.tsx'
import { ProgressBar } from '../../../ui/data/progress-bar.tsx'
import { RelativeTime } from '../../../ui/data/relative-time.tsx'
import { Drawer } from '../../../ui/overlays/drawer.tsx'
import { NotLoaded } from '../../../ui/states/not-loaded.tsx'
import { describePlan } from '../../settings/organization/plans.ts'
import type { OrganizationAction } from './organization-dialogs.tsx'
import { STATES } from './states.ts'
import { useOrganization } from './use-organizations.ts'

const OrganizationDialogs = lazy(() => import('./organization-dialogs.tsx'))

const OrganizationDrawer = ({ id, onClose }: { id: string; onClose: () => void }) => {
  const { data, error, refetch } = useOrganization(id)
  const [dialog, setDialog] = useState<OrganizationAction | null>(null)
  return (
    <Drawer
      isOpen
      onClose={onClose}
      title={data?.name ?? 'Organization'}
      subtitle={data && <Badge tone={STATES[data.state].tone}>{STATES[data.state].label}</Badge>}
      {...(data && { actions: <Actions organization={data} onAction={setDialog} /> })}
    >
      {data ? (
        <Facts organization={data} />
      ) : (
        <NotLoaded error={error} onRetry={refetch} label="Loading the organization" isInCard={false} />
      )}
      <Suspense>
        {dialog && data && (
          <OrganizationDialogs
            dialog={dialog}
            organization={data}
            onClose={() => setDialog(null)}
            onDeleted={() => {
              setDialog(null)
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
          ['Plan', describePlan(plan).label],
          ['Calls this cycle', cycle_limit === null ? `${cycle_calls.toLocaleString()}, no limit` : null],
          ['Own limit', call_limit === null ? null : `${call_limit.toLocaleString()} calls per cycle`],
          ['Members', members.toLocaleString()],
          ['Registered Users', registered_users.toLocaleString()],
          ['Created', <RelativeTime key="created" at={organization.created_at} isAbsolute />],
          ['ID', <Copyable key="id" text={id} label="Copy the ID" />],
        ]}
      />
    </>
  )
}

const NOTES: Partial<Record<InstalledOrganization['state'], string>> = {
  suspended:
    'API, MCP and Link requests are rejected with organization_suspended, and jobs skip it. Nothing was deleted. Members can still read everything, but not change it.',
  arriving: 'Being copied to this installation. It goes live when the move is finished.',
  leaving: 'Being moved to another installation. Until then, its requests get a 503 response.',
  moved: 'Now served by another installation.',
  deleting: 'No longer served. Tokens are revoked, then its data is deleted.',
}

const StateNote = ({ state }: { state: InstalledOrganization['state'] }) => (
  <p className="rounded-control bg-ground px-3.5 py-3 text-sm text-muted">{NOTES[state]}</p>
)

const Actions = ({
  organization: { id, state },
  onAction,
}: {
  organization: InstalledOrganization
  onAction: (action: OrganizationAction) => void
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
      <Button className="max-md:flex-1" onClick={() => onAction('plan')}>
        Change plan
      </Button>
      {state === 'active' ? (
        <Button className="max-md:flex-1" onClick={() => onAction('suspend')}>
          Suspend
        </Button>
      ) : (
        <Button className="max-md:flex-1" onClick={() => onAction('activate')}>
          Activate
        </Button>
      )}
      <Button kind="quiet-danger" className="max-md:flex-1 md:ms-auto" onClick={() => onAction('delete')}>
        Delete
      </Button>
    </>
  )
}

export default OrganizationDrawer
