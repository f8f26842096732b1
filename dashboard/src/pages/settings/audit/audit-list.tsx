import type { AuditEntry } from '@carabiner/sdk'
import { lazy, Suspense, useState } from 'react'
import { useList } from '../../../api/use-list.ts'
import { DateRange, limitsOf } from '../../../ui/lists/date-range.tsx'
import { Filter } from '../../../ui/lists/filter.tsx'
import { FilterBar } from '../../../ui/lists/filter-bar.tsx'
import { ListCard } from '../../../ui/lists/list-card.tsx'
import { SearchInput } from '../../../ui/lists/search-input.tsx'
import { useRowOpener } from '../../../ui/lists/use-row-opener.tsx'
import { EmptyState } from '../../../ui/states/empty-state.tsx'
import { AUDIT_COLUMNS, auditCard, sequenceOf } from './audit-columns.tsx'
import type { AuditSearch } from './audit-search.ts'
import { ACTIONS, actionLabel, actorLabel } from './audit-words.ts'

const EntryDrawer = lazy(() => import('./entry-drawer.tsx'))

type Props = {
  search: AuditSearch
  onSearch: (change: Partial<AuditSearch>, options?: { replace: boolean }) => void
}

/** All entries of the list have the same actor. */
const nameOfActor = ([first]: readonly AuditEntry[], id: string): string =>
  first ? actorLabel(first.actor) : id.slice(0, 8)

/** The filters, entries and details of the audit trail, which exists once for both modes. The page keeps the search in its URL. */
export const AuditList = ({ search, onSearch }: Props) => {
  const { range, from, to, action, actor, target, entry } = search
  const renderOpener = useRowOpener('entry', sequenceOf)
  // The start of a relative period is fixed, or every rendering would load another list.
  const [now] = useState(() => Date.now())
  const filter = {
    ...limitsOf({ range, from, to }, now),
    ...(action && { action }),
    ...(actor && { actor }),
    ...(target && { target }),
  }
  const list = useList(['audit', filter], (api, options) => api.auditEntries.list(filter, options), {
    mode: 'production',
  })
  const find = (text: string): void => onSearch({ target: text.trim() || undefined }, { replace: true })
  const opened = list.rows.find(row => sequenceOf(row) === entry)
  return (
    <>
      <FilterBar>
        <SearchInput
          label="Find a target"
          placeholder="ID of the changed resource"
          value={target ?? ''}
          onChange={find}
        />
        <Filter
          label="Change"
          value={action ?? ''}
          onChange={value => onSearch({ action: value || undefined })}
          options={[
            { value: '', label: 'All' },
            ...ACTIONS.map(value => ({ value: value as string, label: actionLabel(value) })),
          ]}
        />
        <DateRange
          value={{ range, from, to }}
          onChange={next => onSearch({ from: next.from, to: next.to, range: next.range })}
        />
        {actor && (
          <Filter
            label="By"
            value={actor}
            onChange={value => onSearch({ actor: value || undefined })}
            options={[
              { value: '', label: 'Everyone' },
              { value: actor, label: nameOfActor(list.rows, actor) },
            ]}
          />
        )}
      </FilterBar>
      <ListCard
        list={list}
        loading={{ label: 'Loading the audit trail' }}
        empty={
          <EmptyState title="No changes in this period">
            Choose a longer period or remove a filter.
          </EmptyState>
        }
        label="Audit trail"
        columns={AUDIT_COLUMNS}
        card={auditCard}
        rowKey={sequenceOf}
        openKey={entry}
        renderOpener={renderOpener}
      />
      <Suspense>
        {opened && (
          <EntryDrawer
            entry={opened}
            onClose={() => onSearch({ entry: undefined })}
            onShowActor={id => onSearch({ entry: undefined, actor: id })}
          />
        )}
      </Suspense>
    </>
  )
}
