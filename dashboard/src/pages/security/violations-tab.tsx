import type { RuleViolation } from '@carabiner/sdk'
import { getRouteApi } from '@tanstack/react-router'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useList } from '../../api/use-list.ts'
import { BarList } from '../../charts/bar-list.tsx'
import { UserFilter } from '../../pickers/user-filter.tsx'
import { Card } from '../../ui/card.tsx'
import { Badge } from '../../ui/data/badge.tsx'
import { RelativeTime } from '../../ui/data/relative-time.tsx'
import { UserLink } from '../../ui/data/user-link.tsx'
import { Filter } from '../../ui/lists/filter.tsx'
import { FilterBar } from '../../ui/lists/filter-bar.tsx'
import { ListCard } from '../../ui/lists/list-card.tsx'
import type { Column } from '../../ui/lists/table.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { EmptyState } from '../../ui/states/empty-state.tsx'
import { toolName } from '../logs/call-row.ts'
import { DayBars } from './day-bars.tsx'
import { ACTION_LABELS, entityLabel } from './rule-words.ts'

const route = getRouteApi('/o/$organization/$mode/security')

const Action = ({ violation: { action, dry_run } }: { violation: RuleViolation }) => (
  <span className="flex flex-wrap items-center gap-1.5">
    {ACTION_LABELS[action]} {dry_run && <Badge>Dry run</Badge>}
  </span>
)

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
    cell: violation => <Action violation={violation} />,
  },
  { id: 'count', header: 'Matches', align: 'end', isWide: true, cell: ({ count }) => count },
  {
    id: 'user',
    header: 'User',
    isWide: true,
    cell: ({ registered_user_id: id }) => <UserLink id={id} />,
  },
  {
    id: 'call',
    header: 'Call',
    isWide: true,
    cell: violation => <CallLink violation={violation} />,
  },
  { id: 'at', header: 'Time', align: 'end', cell: ({ at }) => <RelativeTime at={at} /> },
]

const CallLink = ({ violation }: { violation: RuleViolation }) => (
  <PageLink
    path={`/logs?range=30d&call=${violation.tool_call_id}`}
    className="inline-flex min-h-6 items-center underline"
  >
    <code className="font-mono text-xs">{toolName(violation)}</code>
  </PageLink>
)

/** A violation on a phone. */
const violationCard = (violation: RuleViolation) => (
  <span className="grid min-w-0 gap-1 text-start text-sm">
    <span className="flex flex-wrap items-center justify-between gap-x-3">
      <span className="font-medium">{entityLabel(violation.entity)}</span>
      <Action violation={violation} />
    </span>
    <span className="wrap-anywhere">
      <CallLink violation={violation} />
    </span>
    <span className="flex justify-between gap-3 text-xs text-muted">
      <UserLink id={violation.registered_user_id} />
      <RelativeTime at={violation.at} />
    </span>
  </span>
)

export const ViolationsTab = () => {
  const { entity, user } = route.useSearch()
  const navigate = route.useNavigate()
  const filter = { ...(entity && { entity }), ...(user && { registered_user_id: user }) }
  const list = useList(['violations', filter], (api, options) => api.ruleViolations.list(filter, options))
  const summary = useApiQuery(['violation-summary'], (api, options) =>
    api.ruleViolations.summary({ days: 30 }, options),
  )
  const find = (id: string | undefined): void =>
    void navigate({ search: previous => ({ ...previous, user: id }), replace: true })
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
        <UserFilter value={user} onChange={find} />
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
              : 'When a rule matches, the entity and the action appear here, never the value.'}
          </EmptyState>
        }
        label="Violations"
        columns={COLUMNS}
        card={violationCard}
        rowKey={({ id }) => id}
      />
    </div>
  )
}
