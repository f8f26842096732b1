import type { Connector, ToolPack } from '@carabiner/sdk'
import { getRouteApi } from '@tanstack/react-router'
import { useCallback, useState } from 'react'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useConnectors, useFoundTools } from '../../api/use-connectors.ts'
import { useMay } from '../../shell/use-session.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Switch } from '../../ui/forms/switch.tsx'
import { FilterBar } from '../../ui/lists/filter-bar.tsx'
import { SearchInput } from '../../ui/lists/search-input.tsx'
import { toast } from '../../ui/overlays/toast.tsx'
import { EmptyState } from '../../ui/states/empty-state.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'
import { ErrorState } from '../../ui/states/error-state.tsx'
import { SkeletonRows } from '../../ui/states/skeleton.tsx'
import { ConnectorBranch } from './connector-branch.tsx'
import { isSameSelection, type Selection } from './selection.ts'

const route = getRouteApi('/o/$organization/$mode/tool-packs/$packId')

/** The tree of connectors and tools. Changes are saved together. */
export const PackTools = ({ pack }: { pack: ToolPack }) => {
  const mayBuild = useMay('build')
  const { q = '' } = route.useSearch()
  const navigate = route.useNavigate()
  const { data, error, refetch } = useConnectors()
  const found = useFoundTools(q)
  /** Undefined: nothing was changed, so the page shows the saved pack, also when someone else saves it. */
  const [draft, setDraft] = useState<Selection | undefined>()
  const selection = draft === undefined ? pack.connectors : draft
  const save = useApiMutation((api, connectors: Selection) => api.toolPacks.update(pack.id, { connectors }), {
    mode: 'production',
    invalidates: [['tool-packs']],
    onSuccess: () => {
      setDraft(undefined)
      toast({ title: 'Tool Pack saved', description: 'Agents see the change in their next list.' })
    },
  })
  const search = useCallback(
    (text: string) =>
      void navigate({ search: previous => ({ ...previous, q: text.trim() || undefined }), replace: true }),
    [navigate],
  )
  const isChanged = !isSameSelection(selection, pack.connectors)
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!data) return <SkeletonRows label="Loading connectors" />
  const all = data.map(({ slug }) => slug)
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
          onChange={isOn => setDraft(isOn ? null : all.map(slug => ({ slug, tools: null })))}
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
                onChange={setDraft}
                isReadOnly={!mayBuild}
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
          <Button onClick={() => setDraft(undefined)}>Discard</Button>
          <Button kind="primary" isBusy={save.isPending} onClick={() => save.mutate(selection)}>
            Save changes
          </Button>
        </div>
      )}
    </div>
  )
}

const matches = ({ name, slug, summary }: Connector, text: string): boolean =>
  `${name} ${slug} ${summary}`.toLowerCase().includes(text.trim().toLowerCase())
