import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useCallback, useState } from 'react'
import { useScope } from '../../api/use-api.ts'
import { useList } from '../../api/use-list.ts'
import { DateRange, limitsOf } from '../../ui/lists/date-range.tsx'
import { FilterBar } from '../../ui/lists/filter-bar.tsx'
import { ListCard } from '../../ui/lists/list-card.tsx'
import { SearchInput } from '../../ui/lists/search-input.tsx'
import { useRowOpener } from '../../ui/lists/use-row-opener.tsx'
import { EmptyState } from '../../ui/states/empty-state.tsx'
import { AUDIT_COLUMNS, sequenceOf } from '../settings/audit/audit-columns.tsx'

const EntryDrawer = lazy(() => import('../settings/audit/entry-drawer.tsx'))
const route = getRouteApi('/o/$organization/$mode/logs')

/** Changes to the organization. They exist once, for both modes. */
export const AuditTab = () => {
  const { range = '24h', from, to, target, entry } = route.useSearch()
  const navigate = route.useNavigate()
  const renderOpener = useRowOpener('entry', sequenceOf)
  const toSettings = useNavigate()
  const scope = useScope()
  const [now] = useState(() => Date.now())
  const filter = { ...limitsOf({ range, from, to }, now), ...(target && { target }) }
  const list = useList(['audit', filter], (api, options) => api.auditEntries.list(filter, options), {
    mode: 'production',
  })
  const find = useCallback(
    (text: string) =>
      void navigate({
        search: previous => ({ ...previous, target: text.trim() || undefined }),
        replace: true,
      }),
    [navigate],
  )
  const opened = list.rows.find(row => sequenceOf(row) === entry)
  return (
    <div className="grid gap-4">
      <FilterBar>
        <SearchInput
          label="Find a target"
          placeholder="ID of the changed resource"
          value={target ?? ''}
          onChange={find}
        />
        <DateRange
          value={{ range, from, to }}
          onChange={next => void navigate({ search: previous => ({ ...previous, ...next }) })}
        />
      </FilterBar>
      <ListCard
        list={list}
        loading={{ label: 'Loading audit entries' }}
        empty={
          <EmptyState title="No changes in this period">
            Choose a longer period, or search for another resource.
          </EmptyState>
        }
        label="Audit entries"
        columns={AUDIT_COLUMNS}
        rowKey={sequenceOf}
        openKey={entry}
        renderOpener={renderOpener}
      />
      <Suspense>
        {opened && (
          <EntryDrawer
            entry={opened}
            onClose={() => void navigate({ search: previous => ({ ...previous, entry: undefined }) })}
            onShowActor={actor =>
              void toSettings({
                to: '/o/$organization/$mode/settings/audit-trail',
                params: scope,
                search: { actor, range: '30d' },
              })
            }
          />
        )}
      </Suspense>
    </div>
  )
}
