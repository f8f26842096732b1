import { getRouteApi } from '@tanstack/react-router'
import { useConnectors } from '../../api/use-connectors.ts'
import { useToolPacks } from '../../api/use-tool-packs.ts'
import { UserChip } from '../../pickers/user-filter.tsx'
import { DateRange } from '../../ui/lists/date-range.tsx'
import { Filter } from '../../ui/lists/filter.tsx'
import { FilterBar } from '../../ui/lists/filter-bar.tsx'
import { FilterChip } from '../../ui/lists/filter-chip.tsx'
import { OUTCOMES } from './call-filter.ts'
import { CallSearch } from './call-search.tsx'
import type { LogsSearch } from './logs-search.ts'

const route = getRouteApi('/o/$organization/$mode/logs')

/** Filters that come from the search field or from a link. */
const CHIPS = [
  ['tool', 'Tool'],
  ['account', 'Account'],
  ['error', 'Error'],
  ['request', 'Request'],
  ['trace', 'Trace'],
] as const

export const CallFilters = () => {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { data: connectors = [] } = useConnectors()
  const { data: packs = [] } = useToolPacks()
  const set = (change: Partial<LogsSearch>): void =>
    void navigate({ search: previous => ({ ...previous, ...change }), replace: true })
  const { range = '24h', from, to } = search
  return (
    <FilterBar>
      <CallSearch />
      {search.user !== undefined && <UserChip id={search.user} onRemove={() => set({ user: undefined })} />}
      {CHIPS.map(([name, label]) => {
        const value = search[name]
        return (
          value !== undefined && (
            <FilterChip key={name} label={label} value={value} onRemove={() => set({ [name]: undefined })} />
          )
        )
      })}
      <Filter
        label="Outcome"
        value={search.outcome ?? ''}
        options={OUTCOMES}
        onChange={value => set({ outcome: value || undefined })}
      />
      <Filter
        label="Connector"
        value={search.connector ?? ''}
        options={withAny(
          connectors.map(({ slug, name }) => ({ value: slug, label: name })),
          search.connector,
        )}
        onChange={value => set({ connector: value || undefined })}
      />
      {(packs.length > 1 || search.pack !== undefined) && (
        <Filter
          label="Pack"
          value={search.pack ?? ''}
          options={withAny(
            packs.map(({ id, name }) => ({ value: id, label: name })),
            search.pack,
          )}
          onChange={value => set({ pack: value || undefined })}
        />
      )}
      {search.live === undefined && (
        <DateRange
          value={{ range, ...(from && { from }), ...(to && { to }) }}
          onChange={next => set({ range: next.range, from: next.from, to: next.to })}
        />
      )}
    </FilterBar>
  )
}

type Choice = { value: string; label: string }

/** "Any", the known values, and that of the URL, which may be unknown here. */
const withAny = (known: Choice[], value: string | undefined): [Choice, ...Choice[]] => {
  const isUnknown = value !== undefined && known.every(each => each.value !== value)
  return [{ value: '', label: 'Any' }, ...known, ...(isUnknown ? [{ value, label: value }] : [])]
}
