import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense, useCallback, useState } from 'react'
import { useList } from '../../../api/use-list.ts'
import { useMay } from '../../../shell/use-session.ts'
import { Card } from '../../../ui/card.tsx'
import { DateRange, limitsOf } from '../../../ui/lists/date-range.tsx'
import { Filter } from '../../../ui/lists/filter.tsx'
import { FilterBar } from '../../../ui/lists/filter-bar.tsx'
import { ListCard } from '../../../ui/lists/list-card.tsx'
import { SearchInput } from '../../../ui/lists/search-input.tsx'
import { useRowOpener } from '../../../ui/lists/use-row-opener.tsx'
import { EmptyState } from '../../../ui/states/empty-state.tsx'
import { SettingsPage } from '../settings-page.tsx'
import { AUDIT_COLUMNS, sequenceOf } from './audit-columns.tsx'
import { ACTIONS, actionLabel } from './audit-words.ts'
import { VerifyChain } from './verify-chain.tsx'

const EntryDrawer = lazy(() => import('./entry-drawer.tsx'))
const route = getRouteApi('/o/$organization/$mode/settings/audit-trail')

const AuditPage = () => {
  const mayRead = useMay('audit')
  return mayRead ? (
    <AuditTrail />
  ) : (
    <SettingsPage title="Audit trail">
      <Card isFlush>
        <EmptyState title="Your role cannot read the audit trail">
          Administrators and members with the role “Security” can. An administrator can change your role.
        </EmptyState>
      </Card>
    </SettingsPage>
  )
}

const AuditTrail = () => {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const renderOpener = useRowOpener('entry', sequenceOf)
  // The start of a relative period is fixed, or every rendering would load another list.
  const [now] = useState(() => Date.now())
  const { range, from, to, action, actor, target, entry } = search
  const filter = {
    ...limitsOf({ range, ...(from && { from }), ...(to && { to }) }, now),
    ...(action && { action }),
    ...(actor && { actor }),
    ...(target && { target }),
  }
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
    <SettingsPage
      title="Audit trail"
      note="Who changed what, and from where. Entries form a hash chain, so that later alterations are detected."
    >
      <VerifyChain />
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
          onChange={value =>
            void navigate({ search: previous => ({ ...previous, action: value || undefined }) })
          }
          options={[
            { value: '', label: 'All' },
            ...ACTIONS.map(value => ({ value: value as string, label: actionLabel(value) })),
          ]}
        />
        <DateRange
          value={{ range, ...(from && { from }), ...(to && { to }) }}
          onChange={next =>
            void navigate({
              search: previous => ({
                ...previous,
                from: next.from,
                to: next.to,
                range: next.range,
              }),
            })
          }
        />
        {actor && (
          <Filter
            label="By"
            value={actor}
            onChange={value =>
              void navigate({ search: previous => ({ ...previous, actor: value || undefined }) })
            }
            options={[
              { value: '', label: 'Everybody' },
              { value: actor, label: actor.slice(0, 8) },
            ]}
          />
        )}
      </FilterBar>
      <ListCard
        list={list}
        loading={{ label: 'Loading the audit trail' }}
        empty={
          <EmptyState title="No changes in this period">
            Choose a longer period, or remove a filter.
          </EmptyState>
        }
        label="Audit trail"
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
            onShowActor={id =>
              void navigate({ search: previous => ({ ...previous, entry: undefined, actor: id }) })
            }
          />
        )}
      </Suspense>
    </SettingsPage>
  )
}

export default AuditPage
