import type { CreatedOrganization, InstalledOrganization } from '@carabiner/contract'
import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { AddButton } from '../../../ui/add-button.tsx'
import { Badge } from '../../../ui/data/badge.tsx'
import { RelativeTime } from '../../../ui/data/relative-time.tsx'
import { Filter } from '../../../ui/lists/filter.tsx'
import { FilterBar } from '../../../ui/lists/filter-bar.tsx'
import { ListCard } from '../../../ui/lists/list-card.tsx'
import { SearchInput } from '../../../ui/lists/search-input.tsx'
import type { Column } from '../../../ui/lists/table.tsx'
import { idOf, useRowOpener } from '../../../ui/lists/use-row-opener.tsx'
import { Page } from '../../../ui/page.tsx'
import { EmptyState } from '../../../ui/states/empty-state.tsx'
import { describePlan } from '../../settings/organization/plans.ts'
import { STATES } from './states.ts'
import { useOrganizations } from './use-organizations.ts'

const OrganizationDrawer = lazy(() => import('./organization-drawer.tsx'))
const CreateDialog = lazy(() => import('./create-dialog.tsx'))
const NewKeysDialog = lazy(() => import('./new-keys-dialog.tsx'))
const route = getRouteApi('/operator/organizations')

const COLUMNS: readonly Column<InstalledOrganization>[] = [
  { id: 'name', header: 'Organization', cell: ({ name }) => name },
  {
    id: 'state',
    header: 'State',
    cell: ({ state }) => <Badge tone={STATES[state].tone}>{STATES[state].label}</Badge>,
  },
  { id: 'plan', header: 'Plan', isWide: true, cell: ({ plan }) => describePlan(plan).label },
  {
    id: 'calls',
    header: 'Calls this cycle',
    align: 'end',
    isWide: true,
    cell: ({ cycle_calls, cycle_limit }) => (
      <span className="tabular-nums">
        {cycle_calls.toLocaleString()}
        {cycle_limit !== null && <span className="text-muted"> of {cycle_limit.toLocaleString()}</span>}
      </span>
    ),
  },
  {
    id: 'members',
    header: 'Members',
    align: 'end',
    isWide: true,
    cell: ({ members }) => <span className="tabular-nums">{members.toLocaleString()}</span>,
  },
  {
    id: 'created',
    header: 'Created',
    align: 'end',
    isWide: true,
    cell: ({ created_at }) => <RelativeTime at={created_at} />,
  },
]

const FILTERS = [
  { value: 'all', label: 'All' },
  { value: 'active', label: 'Active' },
  { value: 'suspended', label: 'Suspended' },
  { value: 'deleting', label: 'Being deleted' },
] as const

const OrganizationsPage = () => {
  const { q, state, id } = route.useSearch()
  const navigate = route.useNavigate()
  const renderOpener = useRowOpener('id', idOf)
  const list = useOrganizations(q, state)
  const search = (text: string): void =>
    void navigate({ search: previous => ({ ...previous, q: text.trim() || undefined }), replace: true })
  return (
    <Page
      title="Organizations"
      note="All organizations in this installation. As an operator, you are an administrator of each one."
      actions={<Create />}
    >
      <FilterBar>
        <SearchInput
          label="Find an organization"
          placeholder="Name or ID"
          value={q ?? ''}
          onChange={search}
        />
        <Filter
          label="State"
          value={state ?? 'all'}
          options={FILTERS}
          onChange={next =>
            void navigate({
              search: previous => ({ ...previous, state: next === 'all' ? undefined : next }),
              replace: true,
            })
          }
        />
      </FilterBar>
      <ListCard
        list={list}
        loading={{ label: 'Loading organizations' }}
        empty={<NoOrganizations isFiltered={q !== undefined || state !== undefined} />}
        label="Organizations"
        columns={COLUMNS}
        rowKey={idOf}
        openKey={id}
        renderOpener={renderOpener}
      />
      <Suspense>
        {id !== undefined && (
          <OrganizationDrawer
            id={id}
            onClose={() => void navigate({ search: previous => ({ ...previous, id: undefined }) })}
          />
        )}
      </Suspense>
    </Page>
  )
}

const Create = () => {
  const [isOpen, setOpen] = useState(false)
  const [created, setCreated] = useState<CreatedOrganization | null>(null)
  return (
    <>
      <AddButton onClick={() => setOpen(true)}>Create organization</AddButton>
      <Suspense>
        {isOpen && (
          <CreateDialog
            onClose={() => setOpen(false)}
            onCreated={organization => {
              setOpen(false)
              setCreated(organization)
            }}
          />
        )}
        {created && <NewKeysDialog created={created} onClose={() => setCreated(null)} />}
      </Suspense>
    </>
  )
}

const NoOrganizations = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <EmptyState title="No organization found">
      No name contains this text, and no organization has this ID and state.
    </EmptyState>
  ) : (
    <EmptyState title="No organizations yet">
      Create the first one. Its API keys are shown once, and you can invite its administrators afterwards.
    </EmptyState>
  )

export default OrganizationsPage
