import type { Connector, ToolPack } from '@carabiner/sdk'
import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense, useCallback } from 'react'
import { useConnectors, useFoundTools } from '../../api/use-connectors.ts'
import { useMay } from '../../shell/use-session.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Switch } from '../../ui/forms/switch.tsx'
import { FilterBar } from '../../ui/lists/filter-bar.tsx'
import { SearchInput } from '../../ui/lists/search-input.tsx'
import { EmptyState } from '../../ui/states/empty-state.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'
import { ErrorState } from '../../ui/states/error-state.tsx'
import { SkeletonRows } from '../../ui/states/skeleton.tsx'
import { ConnectorBranch } from './connector-branch.tsx'
import { chooseRequests, findRequests, type Selection } from './selection.ts'
import { chooseRule, usePackDraft } from './use-pack-draft.ts'

const ConnectorDialog = lazy(() => import('./connector-dialog.tsx'))

const route = getRouteApi('/o/$organization/$mode/tool-packs/$packId')

/** The tree of connectors and tools. Changes are saved together. */
export const PackTools = ({ pack }: { pack: ToolPack }) => {
  const mayBuild = useMay('build')
  const { q = '' } = route.useSearch()
  const navigate = route.useNavigate()
  const { data, error, refetch } = useConnectors()
  const found = useFoundTools(q)
  const draft = usePackDraft(pack)
  const { selection, rules, isChanged, save } = draft
  const setSelection = (connectors: Selection): void => draft.change({ connectors })
  const search = useCallback(
    (text: string) =>
      void navigate({ search: previous => ({ ...previous, q: text.trim() || undefined }), replace: true }),
    [navigate],
  )
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!data) return <SkeletonRows label="Loading connectors" />
  const all = data.map(({ slug }) => slug)
  const edited = data.find(({ slug }) => slug === draft.editedSlug)
  const foundTools = new Map(q === '' ? [] : found.data?.data.map(each => [each.connector_slug, each]))
  const shown = data.filter(connector => matches(connector, q) || foundTools.has(connector.slug))
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
          The first {shownTools} of {found.data.total} matching tools. Type more to narrow them down.
        </p>
      )}
      <Card isFlush>
        {shown.length === 0 && found.isFetching ? (
          <SkeletonRows label="Searching tools" rows={2} isInCard={false} />
        ) : shown.length === 0 ? (
          <EmptyState title="Nothing found">Neither a connector nor a tool matches “{q}”.</EmptyState>
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
          </ul>
        )}
      </Card>
      {isChanged && (
        <div
          role="status"
          className="sticky bottom-3 z-10 flex flex-wrap items-center gap-3 rounded-card bg-raised px-4.5 py-3 shadow-popup"
        >
          <p className="flex-1 text-sm font-medium">The tools have unsaved changes.</p>
          {save.error && <ErrorNote error={save.error} />}
          <Button onClick={draft.discard}>Discard</Button>
          <Button kind="primary" isBusy={save.isPending} onClick={draft.submit}>
            Save changes
          </Button>
        </div>
      )}
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

const matches = ({ name, slug, summary }: Connector, text: string): boolean =>
  `${name} ${slug} ${summary}`.toLowerCase().includes(text.trim().toLowerCase())
