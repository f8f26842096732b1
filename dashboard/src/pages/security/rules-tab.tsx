import type { SecurityEntity, SecurityRules, ToolPack } from '@carabiner/sdk'
import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { useMay } from '../../shell/use-session.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Switch } from '../../ui/forms/switch.tsx'
import { Filter } from '../../ui/lists/filter.tsx'
import { FilterBar } from '../../ui/lists/filter-bar.tsx'
import { toast } from '../../ui/overlays/toast.tsx'
import { ErrorState } from '../../ui/states/error-state.tsx'
import { SkeletonRows } from '../../ui/states/skeleton.tsx'
import { CustomRules } from './custom-rules.tsx'
import { EntityMatrix } from './entity-matrix.tsx'
import { type Direction, type Draft, differences, draftOf } from './rule-draft.ts'
import type { Action } from './rule-words.ts'
import { useEntities, useRemovePackRules, useRules, useSaveRules, useToolPacks } from './use-rules.ts'

const SaveDialog = lazy(() => import('./save-dialog.tsx'))
const route = getRouteApi('/o/$organization/$mode/security')

export const RulesTab = () => {
  const { pack } = route.useSearch()
  const navigate = route.useNavigate()
  const rules = useRules(pack)
  const own = useRules(undefined)
  const entities = useEntities()
  const packs = useToolPacks()
  const error = rules.error ?? own.error ?? entities.error
  return (
    <div className="grid gap-5">
      {packs.data && packs.data.length > 0 && (
        <FilterBar>
          <PackFilter
            packs={packs.data}
            value={pack}
            onChange={next => void navigate({ search: previous => ({ ...previous, pack: next }) })}
          />
        </FilterBar>
      )}
      {rules.data && own.data && entities.data ? (
        <RulesForm
          key={`${pack ?? ''} ${JSON.stringify(rules.data)}`}
          pack={pack}
          saved={rules.data}
          own={own.data}
          entities={entities.data}
        />
      ) : (
        <Card isFlush>
          {error ? (
            <ErrorState error={error} onRetry={() => void rules.refetch()} />
          ) : (
            <SkeletonRows label="Loading the rules" rows={8} />
          )}
        </Card>
      )}
    </div>
  )
}

type PackProps = { packs: ToolPack[]; value: string | undefined; onChange: (id: string | undefined) => void }

export const PackFilter = ({ packs, value, onChange }: PackProps) => (
  <Filter
    label="Rules of"
    value={value ?? ''}
    onChange={next => onChange(next || undefined)}
    options={[
      { value: '', label: 'The organization' },
      ...packs.map(({ id, name }) => ({ value: id, label: `Tool Pack ${name}` })),
    ]}
  />
)

type FormProps = {
  pack: string | undefined
  saved: SecurityRules
  own: SecurityRules
  entities: SecurityEntity[]
}

const RulesForm = ({ pack, saved, own, entities }: FormProps) => {
  const mayProtect = useMay('protect')
  const [draft, setDraft] = useState<Draft>(() => draftOf(saved))
  const [isSaving, setSaving] = useState(false)
  // A Tool Pack inherits from the organization, and the organization from the defaults of the service.
  const inherited = (entity: string, direction: Direction): Action => {
    const known = entities.find(({ name }) => name === entity)
    const ofService = known?.[`default_${direction}_action`] ?? 'none'
    return pack ? (own.entities[entity]?.[`${direction}_action`] ?? ofService) : ofService
  }
  const inheritedThreshold = (entity: string): number =>
    (pack ? own.entities[entity]?.threshold : undefined) ??
    entities.find(({ name }) => name === entity)?.default_threshold ??
    0
  const changes = differences(draftOf(saved), draft, inherited)
  const save = useSaveRules(pack, () => {
    setSaving(false)
    toast({ title: 'Rules saved', description: 'They apply from the next call on.' })
  })
  const isDryRun = draft.dry_run ?? (pack ? own.effective.dry_run : false)
  return (
    <>
      <Card>
        <Switch
          label="Dry run"
          hint="Matches are recorded as violations, but nothing is redacted or blocked. Use it to see what a rule would do."
          isOn={isDryRun}
          isDisabled={!mayProtect}
          onChange={dry_run => setDraft({ ...draft, dry_run })}
        />
      </Card>
      <EntityMatrix
        entities={entities}
        draft={draft}
        saved={draftOf(saved)}
        inherited={inherited}
        inheritedThreshold={inheritedThreshold}
        isDisabled={!mayProtect}
        onChange={setDraft}
      />
      <CustomRules
        rules={draft.custom_rules}
        isDisabled={!mayProtect}
        onChange={custom_rules => setDraft({ ...draft, custom_rules })}
      />
      {mayProtect && (
        <div className="sticky bottom-0 -mx-4 flex flex-wrap items-center justify-end gap-2 border-t border-line bg-ground/95 px-4 py-3 backdrop-blur-sm md:mx-0 md:px-0">
          <span role="status" className="me-auto text-sm text-muted">
            {changes.length === 0
              ? 'No changes'
              : changes.length === 1
                ? '1 change, not saved yet'
                : `${changes.length} changes, not saved yet`}
          </span>
          {pack && saved.updated_at && changes.length === 0 && <RemoveButton pack={pack} />}
          <Button disabled={changes.length === 0} onClick={() => setDraft(draftOf(saved))}>
            Discard
          </Button>
          <Button kind="primary" disabled={changes.length === 0} onClick={() => setSaving(true)}>
            Review and save
          </Button>
        </div>
      )}
      <Suspense>
        {isSaving && (
          <SaveDialog
            changes={changes}
            isBusy={save.isPending}
            error={save.error}
            onSave={() => save.mutate(draft)}
            onClose={() => setSaving(false)}
          />
        )}
      </Suspense>
    </>
  )
}

const RemoveButton = ({ pack }: { pack: string }) => {
  const remove = useRemovePackRules(pack, () =>
    toast({ title: 'The rules of the organization apply to this Tool Pack' }),
  )
  return (
    <Button kind="quiet" isBusy={remove.isPending} onClick={() => remove.mutate(null)}>
      Remove the rules of this Tool Pack
    </Button>
  )
}
