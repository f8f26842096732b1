import { getRouteApi } from '@tanstack/react-router'
import { useToolPacks } from '../../api/use-tool-packs.ts'
import { PackFilter } from '../../pickers/pack-filter.tsx'
import { useMay } from '../../shell/use-session.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Switch } from '../../ui/forms/switch.tsx'
import { FilterBar } from '../../ui/lists/filter-bar.tsx'
import { toast } from '../../ui/overlays/toast.tsx'
import { NotLoaded } from '../../ui/states/not-loaded.tsx'
import { CustomRules } from './custom-rules.tsx'
import { EntityMatrix } from './entity-matrix.tsx'
import { SaveRules } from './save-rules.tsx'
import { type LoadedRules, useLoadedRules, useRuleDraft } from './use-rule-draft.ts'
import { useRemovePackRules } from './use-rules.ts'

const route = getRouteApi('/o/$organization/$mode/security')

export const RulesTab = () => {
  const { pack } = route.useSearch()
  const navigate = route.useNavigate()
  const mayProtect = useMay('protect')
  const rules = useLoadedRules(pack)
  const packs = useToolPacks()
  return (
    <div className="grid gap-5">
      {packs.data && packs.data.length > 0 && (
        <FilterBar>
          <PackFilter
            packs={packs.data}
            value={pack}
            onChange={next => void navigate({ search: previous => ({ ...previous, pack: next }) })}
          />
          {pack && mayProtect && rules.data?.saved.updated_at && <RemoveButton pack={pack} />}
        </FilterBar>
      )}
      {rules.data ? (
        <RulesForm key={pack} pack={pack} rules={rules.data} mayProtect={mayProtect} />
      ) : (
        <Card isFlush>
          <NotLoaded error={rules.error} onRetry={rules.refetch} label="Loading the rules" rows={8} />
        </Card>
      )}
    </div>
  )
}

type FormProps = { pack: string | undefined; rules: LoadedRules; mayProtect: boolean }

const RulesForm = ({ pack, rules, mayProtect }: FormProps) => {
  const draft = useRuleDraft(pack, rules)
  const { values, change } = draft
  return (
    <>
      <Card>
        <Switch
          label="Dry run"
          hint="Matches are recorded as violations, but nothing is redacted or blocked. Use it to see what a rule would do."
          isOn={values.dry_run ?? (pack ? rules.own.effective.dry_run : false)}
          isDisabled={!mayProtect}
          onChange={dry_run => change({ dry_run })}
        />
      </Card>
      <EntityMatrix entities={rules.entities} draft={draft} isDisabled={!mayProtect} />
      <CustomRules
        rules={values.custom_rules}
        isDisabled={!mayProtect}
        onChange={custom_rules => change({ custom_rules })}
      />
      <SaveRules pack={pack} draft={draft} />
    </>
  )
}

const RemoveButton = ({ pack }: { pack: string }) => {
  const remove = useRemovePackRules(pack, () =>
    toast({ title: 'This Tool Pack now uses the organization’s rules' }),
  )
  return (
    <Button kind="quiet" isBusy={remove.isPending} onClick={() => remove.mutate(null)}>
      Remove this pack’s rules
    </Button>
  )
}
