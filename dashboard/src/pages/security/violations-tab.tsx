import type { RuleViolation } from '@carabiner/sdk'
import { getRouteApi } from '@tanstack/react-router'
import { useCallback } from 'react'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useList } from '../../api/use-list.ts'
import { BarList } from '../../charts/bar-list.tsx'
import { Card } from '../../ui/card.tsx'
import { Badge } from '../../ui/data/badge.tsx'
import { RelativeTime } from '../../ui/data/relative-time.tsx'
import { Filter } from '../../ui/lists/filter.tsx'
import { FilterBar } from '../../ui/lists/filter-bar.tsx'
import { ListCard } from '../../ui/lists/list-card.tsx'
import { SearchInput } from '../../ui/lists/search-input.tsx'
import type { Column } from '../../ui/lists/table.tsx'
import { EmptyState } from '../../ui/states/empty-state.tsx'
import { DayBars } from './day-bars.tsx'
import { ACTION_LABELS, entityLabel } from './rule-words.ts'

const route = getRouteApi('/o/$organization/$mode/security')

const COLUMNS: readonly Column<RuleViolation>[] = [
  { id: 'entity', header: 'Entity', cell: ({ entity }) => entityLabel(entity) },
  {
    id: 'direction',
    header: 'In',
    isWide: true,
    cell: ({ direction }) => (direction === 'inbound' ? 'Arguments' : 'Results'),
  },
  {
    id: 'action',
    header: 'Action',
    cell: ({ action, dry_run }) => (
      <span className="flex flex-wrap items-center gap-1.5">
        {ACTION_LABELS[action]} {dry_run && <Badge>Dry run</Badge>}
      </span>
    ),
  },
  { id: 'count', header: 'Matches', align: 'end', isWide: true, cell: ({ count }) => count },
  {
    id: 'user',
    header: 'Registered User',
    isWide: true,
    cell: ({ registered_user_id: id }) => <code className="font-mono text-xs">{id.slice(0, 13)}…</code>,
  },
  { id: 'at', header: 'Time', align: 'end', cell: ({ at }) => <RelativeTime at={at} /> },
]

export const ViolationsTab = () => {
  const { entity, user } = route.useSearch()
  const navigate = route.useNavigate()
  const filter = { ...(entity && { entity }), ...(user && { registered_user_id: user }) }
  const list = useList(['violations', filter], (api, options) => api.ruleViolations.list(filter, options))
  const summary = useApiQuery(['violation-summary'], (api, options) =>
    api.ruleViolations.summary({ days: 30 }, options),
  )
  const find = useCallback(
    (text: string) =>
      void navigate({ search: previous => ({ ...previous, user: text.trim() || undefined }), replace: true }),
    [navigate],
  )
  const totals = [...Map.groupBy(summary.data?.data ?? [], each => each.entity)]
    .map(([name, days]) => ({ name, value: days.reduce((sum, day) => sum + day.violations, 0) }))
    .toSorted((a, b) => b.value - a.value)
  return (
    <div className="grid gap-5">
      {summary.data && totals.length > 0 && (
        <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1.4fr)_minmax(0,1fr)]">
          <Card
            title="By day"
            note={summary.data.is_partial ? 'The latest 100,000 violations.' : 'The last 30 days (UTC).'}
          >
            <DayBars summary={summary.data} />
          </Card>
          <Card title="By entity">
            <BarList
              label="Violations by entity"
              items={totals
                .slice(0, 8)
                .map(({ name, value }) => ({ key: name, name: entityLabel(name), value }))}
            />
          </Card>
        </div>
      )}
      <FilterBar>
        <SearchInput
          label="Find a user"
          placeholder="ID of the Registered User"
          value={user ?? ''}
          onChange={find}
        />
        <Filter
          label="Entity"
          value={entity ?? ''}
          onChange={next =>
            void navigate({ search: previous => ({ ...previous, entity: next || undefined }) })
          }
          options={[
            { value: '', label: 'All' },
            ...totals.map(({ name }) => ({ value: name, label: entityLabel(name) })),
          ]}
        />
      </FilterBar>
      <ListCard
        list={list}
        loading={{ label: 'Loading violations' }}
        empty={
          <EmptyState title="No violations">
            {entity || user
              ? 'No violation matches the filters.'
              : 'When a rule matches in a tool call, the entity and the action appear here, and never the value.'}
          </EmptyState>
        }
        label="Violations"
        columns={COLUMNS}
        rowKey={({ id }) => id}
      />
    </div>
  )
}
