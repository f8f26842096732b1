import type { Connector } from '@carabiner/sdk'
import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useConnectors, useFoundTools } from '../../api/use-connectors.ts'
import { useMay } from '../../shell/use-session.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConnectorLogo } from '../../ui/data/connector-logo.tsx'
import { SaveBar } from '../../ui/forms/save-bar.tsx'
import { Switch } from '../../ui/forms/switch.tsx'
import { FilterBar } from '../../ui/lists/filter-bar.tsx'
import { SearchInput } from '../../ui/lists/search-input.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { EmptyState } from '../../ui/states/empty-state.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'
import { NotLoaded } from '../../ui/states/not-loaded.tsx'
import { SkeletonRows } from '../../ui/states/skeleton.tsx'
import { StateBadge } from '../connectors/state-badge.tsx'
import { ConnectorBranch } from './connector-branch.tsx'
import { chooseRequests, findRequests, type Selection } from './selection.ts'
import { chooseRule, type PackDraft } from './use-pack-draft.ts'

const ConnectorDialog = lazy(() => import('./connector-dialog.tsx'))

const route = getRouteApi('/o/$organization/$mode/tool-packs/$packId')

/** The tree of connectors and tools. Changes are saved together. */
export const PackTools = ({ draft }: { draft: PackDraft }) => {
  const mayBuild = useMay('build')
  const { q = '' } = route.useSearch()
  const navigate = route.useNavigate()
  const { data: complete, error, refetch } = useConnectors({ isComplete: true })
  const found = useFoundTools(q)
  const { selection, rules, save } = draft
  const setSelection = (connectors: Selection): void => draft.change({ connectors })
  const search = (text: string): void =>
    void navigate({ search: previous => ({ ...previous, q: text.trim() || undefined }), replace: true })
  if (error || !complete) return <NotLoaded error={error} onRetry={refetch} label="Loading connectors" />
  const data = complete.filter(({ is_usable: isUsable }) => isUsable)
  const all = data.map(({ slug }) => slug)
  const edited = data.find(({ slug }) => slug === draft.editedSlug)
  const foundTools = new Map(q === '' ? [] : found.data?.data.map(each => [each.connector_slug, each]))
  const inPack = new Set(draft.saved.connectors?.map(({ slug }) => slug))
  const shown = data
    .filter(connector => matches(connector, q) || foundTools.has(connector.slug))
    .toSorted((a, b) => Number(inPack.has(b.slug)) - Number(inPack.has(a.slug)))
  const unusable = q === '' ? [] : complete.filter(each => !each.is_usable && matches(each, q))
  const shownTools = [...foundTools.values()].reduce((count, { tools }) => count + tools.length, 0)
  return (
    <div className="grid gap-4">
      <Card>
        <Switch
          label="All connectors"
          hint="Offers every usable connector with all tools, including those added later."
          isOn={selection === null}
          isDisabled={!mayBuild}
          onChange={isOn => setSelection(isOn ? null : all.map(slug => ({ slug, tools: null })))}
        />
      </Card>
      <FilterBar>
        <SearchInput
          label="Find a connector or tool"
          placeholder="Connector or tool"
          value={q}
          onChange={search}
        />
      </FilterBar>
      {found.error && <ErrorNote error={found.error} />}
      {found.data && q !== '' && found.data.total > shownTools && (
        <p className="text-sm text-muted">
          The first {shownTools} of {found.data.total} matching tools. Type more to narrow the search.
        </p>
      )}
      <Card isFlush>
        {shown.length === 0 && found.isFetching ? (
          <SkeletonRows label="Searching tools" rows={2} isInCard={false} />
        ) : shown.length + unusable.length === 0 ? (
          <EmptyState title="Nothing found">No connector or tool matches “{q}”.</EmptyState>
        ) : (
          <ul aria-label="Connectors and tools" className="divide-y divide-line">
            {shown.map(connector => (
              <ConnectorBranch
                key={connector.slug}
                connector={connector}
                found={foundTools.get(connector.slug)}
                all={all}
                selection={selection}
                onChange={setSelection}
                isReadOnly={!mayBuild}
                rule={rules[connector.slug]}
                onEdit={() => draft.edit(connector.slug)}
                problem={draft.problem?.slug === connector.slug ? draft.problem : null}
              />
            ))}
            {unusable.map(connector => (
              <UnusableConnector key={connector.slug} connector={connector} />
            ))}
          </ul>
        )}
      </Card>
      <SaveBar
        changes={draft.count}
        onDiscard={draft.discard}
        action="Save changes"
        onSave={draft.submit}
        isBusy={save.isPending}
        error={save.error}
      />
      <Suspense>
        {edited && (
          <ConnectorDialog
            connector={edited}
            settings={{ requests: findRequests(selection, edited.slug), rule: rules[edited.slug] }}
            problem={draft.problem?.slug === edited.slug ? draft.problem : null}
            onClose={() => draft.edit(null)}
            onApply={({ requests, rule }) => {
              draft.change({
                connectors: chooseRequests(selection, all, edited.slug, requests),
                accounts: chooseRule(rules, edited.slug, rule),
              })
              draft.edit(null)
            }}
          />
        )}
      </Suspense>
    </div>
  )
}

/** Found by a search, so that it does not seem to be missing. */
const UnusableConnector = ({ connector }: { connector: Connector }) => {
  const { slug, name, tool_count: tools } = connector
  return (
    <li className="flex flex-wrap items-center gap-3 px-4.5 py-3 ps-11.5 md:px-5 md:ps-12">
      <ConnectorLogo connector={connector} />
      <span className="min-w-0 flex-1 text-sm font-medium">{name}</span>
      <StateBadge connector={connector} />
      {tools !== 0 && (
        <PageLink path={`/connectors?connector=${slug}&tab=app`} className={buttonClass('secondary', 'sm')}>
          Set up
        </PageLink>
      )}
    </li>
  )
}

const matches = ({ name, slug, summary }: Connector, text: string): boolean =>
  `${name} ${slug} ${summary}`.toLowerCase().includes(text.trim().toLowerCase())
