import type { RegisteredUser } from '@carabiner/sdk'
import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { createUserSnippet } from '../../api/api-snippet.ts'
import { useMay } from '../../shell/use-session.ts'
import { AddButton } from '../../ui/add-button.tsx'
import { Badge } from '../../ui/data/badge.tsx'
import { ConnectorNames } from '../../ui/data/connector-names.tsx'
import { RelativeTime } from '../../ui/data/relative-time.tsx'
import { Snippet } from '../../ui/data/snippet.tsx'
import { FilterBar } from '../../ui/lists/filter-bar.tsx'
import { ListCard } from '../../ui/lists/list-card.tsx'
import { SearchInput } from '../../ui/lists/search-input.tsx'
import type { Column } from '../../ui/lists/table.tsx'
import { idOf, useRowOpener } from '../../ui/lists/use-row-opener.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState } from '../../ui/states/empty-state.tsx'
import { useUsers } from './use-users.ts'

const CreateLinkDialog = lazy(() => import('./create-link-dialog.tsx'))
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
    header: 'Email',
    isWide: true,
    cell: user => user.email ?? <span className="text-faint">–</span>,
  },
  {
    id: 'connectors',
    header: 'Connected',
    isWide: true,
    cell: user =>
      user.linked_connectors.length > 0 ? (
        <ConnectorNames slugs={user.linked_connectors} />
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

/** A user on a phone. The ID tells users of the same name apart. */
const userCard = (user: RegisteredUser) => (
  <span className="grid min-w-0 flex-1 grid-cols-[minmax(0,1fr)] gap-0.5 text-start font-normal">
    <span className="flex items-center justify-between gap-3">
      <span className="truncate font-medium">{user.origin_user_name ?? user.origin_user_id}</span>
      {!user.is_active && <Badge>Deactivated</Badge>}
    </span>
    <span className="truncate text-xs text-muted">
      <code className="font-mono">{user.origin_user_id}</code>
      {user.email !== undefined && ` · ${user.email}`}
    </span>
    <span className="text-xs text-muted">
      {user.linked_connectors.length > 0 ? (
        <ConnectorNames slugs={user.linked_connectors} />
      ) : (
        'Nothing connected yet'
      )}
    </span>
  </span>
)

const UsersPage = () => {
  const { q, user } = route.useSearch()
  const navigate = route.useNavigate()
  const list = useUsers(q ?? '')
  const renderOpener = useRowOpener<RegisteredUser>('user', idOf)
  const search = (text: string): void =>
    void navigate({ search: previous => ({ ...previous, q: text.trim() || undefined }), replace: true })
  return (
    <Page
      title="Registered Users"
      note="Your app’s end users. Agents act with the accounts they connect."
      actions={<CreateUser />}
    >
      <FilterBar>
        <SearchInput label="Find a user" placeholder="Name, email or ID" value={q ?? ''} onChange={search} />
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
        card={userCard}
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
  const { new: dialog } = route.useSearch()
  const navigate = route.useNavigate()
  const change = (to: { new?: string; user?: string }): void =>
    void navigate({ search: previous => ({ ...previous, new: undefined, ...to }), replace: true })
  const close = (): void => change({})
  if (!mayBuild) return null
  return (
    <>
      <AddButton onClick={() => change({ new: 'user' })}>Create user</AddButton>
      <Suspense>
        {dialog === 'user' && (
          <CreateUserDialog onClose={close} onCreated={({ id }) => change({ user: id })} />
        )}
        {dialog === 'link' && <CreateLinkDialog onClose={close} />}
      </Suspense>
    </>
  )
}

const NoUsers = ({ text }: { text: string | undefined }) =>
  text ? (
    <EmptyState title="No user found">
      No name, email address or ID begins with “{text}”. Check the text, or switch between test and
      production.
    </EmptyState>
  ) : (
    <EmptyState title="No users yet" snippet={<Snippet label="Create a user" codes={createUserSnippet()} />}>
      Create a Registered User when someone signs in to your application.
    </EmptyState>
  )

export default UsersPage
