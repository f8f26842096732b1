import type { RegisteredUser } from '@carabiner/sdk'
import { getRouteApi } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { lazy, Suspense, useCallback, useState } from 'react'
import { useMay } from '../../shell/use-session.ts'
import { Button } from '../../ui/button.tsx'
import { Badge } from '../../ui/data/badge.tsx'
import { RelativeTime } from '../../ui/data/relative-time.tsx'
import { Snippet } from '../../ui/data/snippet.tsx'
import { FilterBar } from '../../ui/lists/filter-bar.tsx'
import { ListCard } from '../../ui/lists/list-card.tsx'
import { SearchInput } from '../../ui/lists/search-input.tsx'
import type { Column } from '../../ui/lists/table.tsx'
import { idOf, useRowOpener } from '../../ui/lists/use-row-opener.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState } from '../../ui/states/empty-state.tsx'
import { createUserSnippet } from './create-user-snippet.ts'
import { useUsers } from './use-users.ts'

const CreateUserDialog = lazy(() => import('./create-user-dialog.tsx'))
const UserDrawer = lazy(() => import('./user-drawer.tsx'))
const route = getRouteApi('/o/$organization/$mode/users')

const COLUMNS: readonly Column<RegisteredUser>[] = [
  { id: 'name', header: 'User', cell: user => user.origin_user_name ?? user.origin_user_id },
  {
    id: 'origin',
    header: 'Your ID',
    isWide: true,
    cell: user => <code className="font-mono text-xs">{user.origin_user_id}</code>,
  },
  {
    id: 'email',
    header: 'E-mail',
    isWide: true,
    cell: user => user.email ?? <span className="text-faint">–</span>,
  },
  {
    id: 'connectors',
    header: 'Connected',
    isWide: true,
    cell: user =>
      user.linked_connectors.length > 0 ? (
        user.linked_connectors.join(', ')
      ) : (
        <span className="text-muted">Nothing yet</span>
      ),
  },
  {
    id: 'status',
    header: 'Status',
    cell: user => (user.is_active ? <Badge tone="good">Active</Badge> : <Badge>Deactivated</Badge>),
  },
  {
    id: 'created',
    header: 'Created',
    align: 'end',
    isWide: true,
    cell: user => <RelativeTime at={user.created_at} />,
  },
]

const UsersPage = () => {
  const { q, user } = route.useSearch()
  const navigate = route.useNavigate()
  const list = useUsers(q ?? '')
  const renderOpener = useRowOpener<RegisteredUser>('user', idOf)
  const search = useCallback(
    (text: string) =>
      void navigate({ search: previous => ({ ...previous, q: text.trim() || undefined }), replace: true }),
    [navigate],
  )
  return (
    <Page
      title="Registered Users"
      note="The people of your application whose accounts your agents use."
      actions={<CreateUser />}
    >
      <FilterBar>
        <SearchInput label="Find a user" placeholder="Name, e-mail or ID" value={q ?? ''} onChange={search} />
      </FilterBar>
      <ListCard
        list={list}
        loading={{ label: 'Loading users' }}
        empty={<NoUsers text={q} />}
        label="Registered Users"
        columns={COLUMNS}
        rowKey={idOf}
        openKey={user}
        renderOpener={renderOpener}
      />
      <Suspense>
        {user !== undefined && (
          <UserDrawer
            userId={user}
            onClose={() => void navigate({ search: previous => ({ ...previous, user: undefined }) })}
          />
        )}
      </Suspense>
    </Page>
  )
}

const CreateUser = () => {
  const mayBuild = useMay('build')
  const navigate = route.useNavigate()
  const [isOpen, setOpen] = useState(false)
  if (!mayBuild) return null
  return (
    <>
      <Button
        kind="primary"
        icon={<Plus className="size-4" aria-hidden="true" />}
        onClick={() => setOpen(true)}
      >
        Create a user
      </Button>
      <Suspense>
        {isOpen && (
          <CreateUserDialog
            onClose={() => setOpen(false)}
            onCreated={({ id }) => {
              setOpen(false)
              void navigate({ search: previous => ({ ...previous, user: id }) })
            }}
          />
        )}
      </Suspense>
    </>
  )
}

const NoUsers = ({ text }: { text: string | undefined }) =>
  text ? (
    <EmptyState title="No user found">
      No name, e-mail address or ID begins with “{text}”. Check the text, or switch between test and
      production.
    </EmptyState>
  ) : (
    <EmptyState
      title="No users yet"
      snippet={<Snippet label="Create a user" codes={createUserSnippet(window.location.origin)} />}
    >
      Create a Registered User when someone signs in to your application.
    </EmptyState>
  )

export default UsersPage
