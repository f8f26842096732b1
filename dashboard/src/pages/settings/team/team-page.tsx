import type { InvitedMember, Member } from '@carabiner/sdk'
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
import { ErrorState } from '../../../ui/states/error-state.tsx'
import { SkeletonRows } from '../../../ui/states/skeleton.tsx'
import { SettingsPage } from '../settings-page.tsx'
import { ROLE_LABELS } from './roles.ts'
import { useMembers } from './use-members.ts'

const TeamDialogs = lazy(() => import('./team-dialogs.tsx'))

export type TeamAction =
  | { action: 'invite' }
  | { action: 'role' | 'remove' | 'link'; member: Member }
  | { action: 'show-link'; invited: InvitedMember }

const TeamPage = () => {
  const mayManage = useMay('manage')
  const { person } = useSession()
  const { data, error, refetch } = useMembers()
  const [asked, setAsked] = useState<TeamAction | null>(null)
  return (
    <SettingsPage
      title="Team"
      note="People who use this dashboard for your organization. Role changes apply immediately."
      actions={
        mayManage && (
          <Button
            kind="primary"
            icon={<UserPlus className="size-4" aria-hidden="true" />}
            onClick={() => setAsked({ action: 'invite' })}
          >
            Invite a member
          </Button>
        )
      }
    >
      <Card isFlush>
        {data ? (
          <Table
            label="Members"
            rows={data}
            columns={columnsFor(person.id, mayManage, setAsked)}
            rowKey={({ id }) => id}
          />
        ) : error ? (
          <ErrorState error={error} onRetry={() => void refetch()} />
        ) : (
          <SkeletonRows label="Loading members" rows={3} />
        )}
      </Card>
      <Suspense>{asked && <TeamDialogs asked={asked} onChange={setAsked} />}</Suspense>
    </SettingsPage>
  )
}

const columnsFor = (
  ownId: string,
  mayManage: boolean,
  ask: (asked: TeamAction) => void,
): Column<Member>[] => [
  {
    id: 'name',
    header: 'Member',
    sortBy: ({ name }) => name,
    cell: ({ id, name, email }) => (
      <span className="grid">
        <span className="font-medium">
          {name}
          {id === ownId && <span className="font-normal text-muted"> (you)</span>}
        </span>
        <span className="text-xs text-muted">{email}</span>
      </span>
    ),
  },
  { id: 'role', header: 'Role', sortBy: ({ role }) => role, cell: ({ role }) => ROLE_LABELS[role] },
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
              <MenuItem onSelect={() => ask({ action: 'role', member })}>Change role</MenuItem>
              <MenuItem onSelect={() => ask({ action: 'link', member })}>New sign-in link</MenuItem>
              <MenuSeparator />
              <MenuItem isDanger onSelect={() => ask({ action: 'remove', member })}>
                Remove
              </MenuItem>
            </Menu>
          ),
        },
      ]
    : []),
]

export default TeamPage
