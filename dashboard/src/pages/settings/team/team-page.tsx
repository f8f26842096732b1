import type { Member } from '@carabiner/sdk'
import { getRouteApi } from '@tanstack/react-router'
import { Ellipsis, UserPlus } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useMay, useSession } from '../../../shell/use-session.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Badge } from '../../../ui/data/badge.tsx'
import { RelativeTime } from '../../../ui/data/relative-time.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { type Column, Table } from '../../../ui/lists/table.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../../ui/overlays/menu.tsx'
import { NotLoaded } from '../../../ui/states/not-loaded.tsx'
import { SettingsPage } from '../settings-page.tsx'
import { ROLE_LABELS } from './roles.ts'
import type { TeamAction } from './team-dialogs.tsx'
import { useMembers } from './use-members.ts'

const route = getRouteApi('/o/$organization/$mode/settings/team')
const TeamDialogs = lazy(() => import('./team-dialogs.tsx'))

const TeamPage = () => {
  const mayManage = useMay('manage')
  const { person } = useSession()
  const { data, error, refetch } = useMembers()
  const isAsked = route.useSearch().new === 'member'
  const navigate = route.useNavigate()
  const [chosen, setChosen] = useState<TeamAction | null>(null)
  const dialog = chosen ?? (isAsked && mayManage ? { action: 'invite' as const } : null)
  const change = (next: TeamAction | null): void => {
    setChosen(next)
    if (isAsked && next === null) void navigate({ search: {}, replace: true })
  }
  return (
    <SettingsPage
      title="Team"
      note="People who use this dashboard for your organization. Role changes apply immediately."
      actions={
        mayManage && (
          <Button
            kind="primary"
            icon={<UserPlus className="size-4" aria-hidden="true" />}
            onClick={() => setChosen({ action: 'invite' })}
          >
            Invite member
          </Button>
        )
      }
    >
      <Card isFlush>
        {data ? (
          <Table
            label="Members"
            rows={data}
            columns={columnsFor(person.id, mayManage, setChosen)}
            rowKey={({ id }) => id}
          />
        ) : (
          <NotLoaded error={error} onRetry={refetch} label="Loading members" rows={3} />
        )}
      </Card>
      <Suspense>{dialog && <TeamDialogs dialog={dialog} onChange={change} />}</Suspense>
    </SettingsPage>
  )
}

const columnsFor = (
  ownId: string,
  mayManage: boolean,
  onAction: (dialog: TeamAction) => void,
): Column<Member>[] => [
  {
    id: 'name',
    header: 'Member',
    sortBy: ({ name }) => name,
    cell: ({ id, name, email, role }) => (
      <span className="grid">
        <span className="font-medium">
          {name}
          {id === ownId && <span className="font-normal text-muted"> (you)</span>}
        </span>
        <span className="text-xs text-muted wrap-anywhere">{email}</span>
        <span className="text-xs md:hidden">{ROLE_LABELS[role]}</span>
      </span>
    ),
  },
  {
    id: 'role',
    header: 'Role',
    isWide: true,
    sortBy: ({ role }) => role,
    cell: ({ role }) => ROLE_LABELS[role],
  },
  {
    id: 'second-factor',
    header: 'Second factor',
    isWide: true,
    cell: ({ has_second_factor, status }) =>
      status === 'invited' ? (
        <span className="text-faint">–</span>
      ) : has_second_factor ? (
        <Badge tone="good">On</Badge>
      ) : (
        <Badge tone="warn">Off</Badge>
      ),
  },
  {
    id: 'seen',
    header: 'Last seen',
    isWide: true,
    sortBy: ({ last_seen_at }) => last_seen_at,
    cell: ({ last_seen_at, status }) =>
      status === 'invited' ? (
        <Badge tone="info">Invited</Badge>
      ) : last_seen_at ? (
        <RelativeTime at={last_seen_at} />
      ) : (
        <span className="text-muted">More than a day ago</span>
      ),
  },
  ...(mayManage
    ? [
        {
          id: 'actions',
          header: 'Actions',
          isHeaderWide: true,
          align: 'end' as const,
          cell: (member: Member) => (
            <Menu
              trigger={
                <IconButton
                  label={`Actions for ${member.name}`}
                  icon={<Ellipsis className="size-4.5" aria-hidden="true" />}
                  className="-my-1.5"
                />
              }
            >
              <MenuItem onSelect={() => onAction({ action: 'role', member })}>Change role</MenuItem>
              <MenuItem onSelect={() => onAction({ action: 'link', member })}>New sign-in link</MenuItem>
              <MenuSeparator />
              <MenuItem isDanger onSelect={() => onAction({ action: 'remove', member })}>
                Remove
              </MenuItem>
            </Menu>
          ),
        },
      ]
    : []),
]

export default TeamPage
