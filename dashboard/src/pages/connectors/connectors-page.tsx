import type { Connector } from '@carabiner/sdk'
import { getRouteApi, Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { countTools, useConnectors } from '../../api/use-connectors.ts'
import { useMay } from '../../shell/use-session.ts'
import { AddButton } from '../../ui/add-button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConnectorLogo } from '../../ui/data/connector-logo.tsx'
import { Filter } from '../../ui/lists/filter.tsx'
import { FilterBar } from '../../ui/lists/filter-bar.tsx'
import { SearchInput } from '../../ui/lists/search-input.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState } from '../../ui/states/empty-state.tsx'
import { NotLoaded } from '../../ui/states/not-loaded.tsx'
import type { ConnectorState } from './connector-search.ts'
import { StateBadge } from './state-badge.tsx'

const ConnectorDrawer = lazy(() => import('./connector-drawer.tsx'))
const AddServerDialog = lazy(() => import('./add-server-dialog.tsx'))
const route = getRouteApi('/o/$organization/$mode/connectors')

const ConnectorsPage = () => {
  const mayBuild = useMay('build')
  const { q = '', state = 'all', connector: slug } = route.useSearch()
  const navigate = route.useNavigate()
  const { data, error, refetch } = useConnectors({ isComplete: true })
  const [isAdding, setAdding] = useState(false)
  const search = (text: string): void =>
    void navigate({ search: previous => ({ ...previous, q: text.trim() || undefined }), replace: true })
  const shown = data?.filter(connector => matches(connector, q) && isInState(connector, state)) ?? []
  return (
    <Page
      title="Connectors"
      note="Services your users can connect, and your own MCP servers."
      actions={mayBuild && <AddButton onClick={() => setAdding(true)}>Add MCP server</AddButton>}
    >
      <FilterBar>
        <SearchInput label="Find a connector" placeholder="Name or category" value={q} onChange={search} />
        <Filter
          label="Show"
          value={state}
          onChange={next =>
            void navigate({ search: previous => ({ ...previous, state: next }), replace: true })
          }
          options={[
            { value: 'all', label: 'All' },
            { value: 'ready', label: 'Ready to use' },
            { value: 'setup', label: 'Needs an OAuth app' },
            { value: 'own', label: 'Your own' },
          ]}
        />
      </FilterBar>
      {error || !data ? (
        <Card isFlush>
          <NotLoaded error={error} onRetry={refetch} label="Loading connectors" />
        </Card>
      ) : shown.length === 0 ? (
        <Card>
          <EmptyState title="No connector found">
            Nothing matches. You can add any MCP server, or write a connector as one JSON file.
          </EmptyState>
        </Card>
      ) : (
        <ul aria-label="Connectors" className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
          {shown.map(connector => (
            <Tile key={connector.slug} connector={connector} />
          ))}
        </ul>
      )}
      <Suspense>
        {slug !== undefined && data && (
          <ConnectorDrawer
            key={slug}
            slug={slug}
            connector={data.find(connector => connector.slug === slug)}
            onClose={() =>
              void navigate({ search: previous => ({ ...previous, connector: undefined, tab: undefined }) })
            }
          />
        )}
        {isAdding && (
          <AddServerDialog
            onClose={() => setAdding(false)}
            onAdded={added => {
              setAdding(false)
              void navigate({ search: { connector: added } })
            }}
          />
        )}
      </Suspense>
    </Page>
  )
}

const matches = ({ name, slug, summary, categories }: Connector, text: string): boolean =>
  `${name} ${slug} ${summary} ${categories.join(' ')}`.toLowerCase().includes(text.toLowerCase())

const isInState = ({ is_usable, tool_count, source }: Connector, state: ConnectorState): boolean => {
  if (state === 'ready') return is_usable
  if (state === 'setup') return !is_usable && tool_count !== 0
  return state === 'own' ? source !== 'catalog' : true
}

const Tile = ({ connector }: { connector: Connector }) => (
  <li className="relative grid content-start gap-2 rounded-card border border-line bg-paper px-4 py-3.5 shadow-card hover:border-line-strong">
    <div className="flex items-center gap-3">
      <ConnectorLogo connector={connector} />
      <Link
        from={route.id}
        search={previous => ({ ...previous, connector: connector.slug })}
        className="min-h-6 flex-1 rounded-md text-sm font-medium before:absolute before:inset-0 before:content-['']"
      >
        {connector.name}
      </Link>
      <StateBadge connector={connector} />
    </div>
    <p className="line-clamp-2 text-xs text-muted">{connector.summary}</p>
    <p className="text-xs text-muted">
      {connector.tool_count === null
        ? 'Lists tools after the first connection'
        : countTools(connector.tool_count)}
      {connector.kind === 'mcp' && ' · MCP server'}
    </p>
  </li>
)

export default ConnectorsPage
