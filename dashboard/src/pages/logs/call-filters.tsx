import { getRouteApi } from '@tanstack/react-router'
import { useCallback } from 'react'
import { useApiQuery } from '../../api/use-api-query.ts'
import { DateRange } from '../../ui/lists/date-range.tsx'
import { Filter } from '../../ui/lists/filter.tsx'
import { FilterBar } from '../../ui/lists/filter-bar.tsx'
import { FilterChip } from '../../ui/lists/filter-chip.tsx'
import { SearchInput } from '../../ui/lists/search-input.tsx'
import { classify, OUTCOMES } from './call-filter.ts'
import { isErrorCode } from './error-words.ts'
import type { LogsSearch } from './routes.ts'

const route = getRouteApi('/o/$organization/$mode/logs')

const CHIPS = [
  ['tool', 'Tool'],
  ['user', 'User'],
  ['error', 'Error'],
  ['request', 'Request'],
  ['trace', 'Trace'],
] as const

export const CallFilters = () => {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { data: connectors = [] } = useApiQuery(['connectors', 'list', false], (api, options) =>
    api.connectors.list({}, options),
  )
  const set = (change: Partial<LogsSearch>): void =>
    void navigate({ search: previous => ({ ...previous, ...change }), replace: true })
  const find = useCallback(
    (given: string) => {
      const text = given.trim()
      if (text !== '')
        void navigate({ search: previous => ({ ...previous, [classify(text, isErrorCode)]: text }) })
    },
    [navigate],
  )
  const { range = '24h', from, to } = search
  const slugs = connectors.map(({ slug, name }) => ({ value: slug, label: name }))
  const { connector } = search
  const isUnknown = connector !== undefined && slugs.every(({ value }) => value !== connector)
  return (
    <FilterBar>
      <SearchInput
        // Remounted after a search, so that it is empty for the next one.
        key={CHIPS.map(([name]) => search[name] ?? '').join('/')}
        label="Find calls"
        placeholder="Tool, user ID, request ID, trace ID or error code"
        value=""
        onChange={find}
      />
      <Filter
        label="Outcome"
        value={search.outcome ?? ''}
        options={OUTCOMES}
        onChange={value => set({ outcome: value || undefined })}
      />
      <Filter
        label="Connector"
        value={connector ?? ''}
        options={[
          { value: '', label: 'Any' },
          ...slugs,
          ...(isUnknown ? [{ value: connector, label: connector }] : []),
        ]}
        onChange={value => set({ connector: value || undefined })}
      />
      {search.live === undefined && (
        <DateRange
          value={{ range, ...(from && { from }), ...(to && { to }) }}
          onChange={next => set({ range: next.range, from: next.from, to: next.to })}
        />
      )}
      {CHIPS.map(([name, label]) => {
        const value = search[name]
        return (
          value !== undefined && (
            <FilterChip key={name} label={label} value={value} onRemove={() => set({ [name]: undefined })} />
          )
        )
      })}
    </FilterBar>
  )
}
