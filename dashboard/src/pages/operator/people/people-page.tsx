import type { InstalledPerson } from '@carabiner/contract'
import { getRouteApi } from '@tanstack/react-router'
import { Ellipsis } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useSession } from '../../../shell/use-session.ts'
import { Badge } from '../../../ui/data/badge.tsx'
import { RelativeTime } from '../../../ui/data/relative-time.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { FilterBar } from '../../../ui/lists/filter-bar.tsx'
import { ListCard } from '../../../ui/lists/list-card.tsx'
import { SearchInput } from '../../../ui/lists/search-input.tsx'
import type { Column } from '../../../ui/lists/table.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../../ui/overlays/menu.tsx'
import { Page } from '../../../ui/page.tsx'
import { EmptyState } from '../../../ui/states/empty-state.tsx'
import type { PersonAction } from './person-dialogs.tsx'
import { usePeople } from './use-people.ts'

const PersonDialogs = lazy(() => import('./person-dialogs.tsx'))
const route = getRouteApi('/operator/people')

const PeoplePage = () => {
  const { q } = route.useSearch()
  const navigate = route.useNavigate()
  const list = usePeople(q)
  const { person } = useSession()
  const [dialog, setDialog] = useState<PersonAction | null>(null)
  const search = (text: string): void =>
    void navigate({ search: { q: text.trim() || undefined }, replace: true })
  return (
    <Page
      title="People"
      note="Everyone who can sign in to this installation. Administrators invite members to their organization in Settings → Team."
    >
      <FilterBar>
        <SearchInput label="Find a person" placeholder="Name or email" value={q ?? ''} onChange={search} />
      </FilterBar>
      <ListCard
        list={list}
        loading={{ label: 'Loading people' }}
        empty={<EmptyState title="No person found">No name or email address contains this text.</EmptyState>}
        label="People"
        columns={columnsFor(person.id, setDialog)}
        rowKey={({ id }) => id}
      />
      <Suspense>{dialog && <PersonDialogs dialog={dialog} onClose={() => setDialog(null)} />}</Suspense>
    </Page>
  )
}

const columnsFor = (ownId: string, onAction: (dialog: PersonAction) => void): Column<InstalledPerson>[] => [
  {
    id: 'name',
    header: 'Person',
    cell: ({ id, name, email }) => (
      <span className="grid">
        <span className="font-medium">
          {name}
          {id === ownId && <span className="font-normal text-muted"> (you)</span>}
        </span>
        <span className="text-xs break-all text-muted">{email}</span>
      </span>
    ),
  },
  {
    id: 'operator',
    header: 'Operator',
    cell: ({ is_operator }) =>
      is_operator ? <Badge tone="info">Operator</Badge> : <span className="text-faint">–</span>,
  },
  {
    id: 'organizations',
    header: 'Organizations',
    align: 'end',
    isWide: true,
    cell: ({ organizations }) => <span className="tabular-nums">{organizations.toLocaleString()}</span>,
  },
  {
    id: 'second-factor',
    header: 'Second factor',
    isWide: true,
    cell: ({ has_second_factor }) =>
      has_second_factor ? <Badge tone="good">On</Badge> : <Badge tone="warn">Off</Badge>,
  },
  {
    id: 'seen',
    header: 'Last seen',
    isWide: true,
    cell: ({ last_seen_at }) =>
      last_seen_at ? <RelativeTime at={last_seen_at} /> : <span className="text-muted">Signed out</span>,
  },
  {
    id: 'actions',
    header: 'Actions',
    isHeaderWide: true,
    align: 'end',
    cell: person => (
      <Menu
        trigger={
          <IconButton
            label={`Actions for ${person.name}`}
            icon={<Ellipsis className="size-4.5" aria-hidden="true" />}
            className="-my-1.5"
          />
        }
      >
        {person.is_operator ? (
          <MenuItem onSelect={() => onAction({ action: 'remove-operator', person })}>
            Remove as operator
          </MenuItem>
        ) : (
          <MenuItem onSelect={() => onAction({ action: 'make-operator', person })}>Make operator</MenuItem>
        )}
        <MenuSeparator />
        <MenuItem isDanger onSelect={() => onAction({ action: 'sign-out', person })}>
          Sign out everywhere
        </MenuItem>
      </Menu>
    ),
  },
]

export default PeoplePage
