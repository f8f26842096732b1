import type { SecurityEntity } from '@carabiner/sdk'
import { ChevronDown } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Input } from '../../ui/forms/input.tsx'
import { Switch } from '../../ui/forms/switch.tsx'
import { Menu, MenuItem } from '../../ui/overlays/menu.tsx'
import { EmptyState } from '../../ui/states/empty-state.tsx'
import { EntityRow } from './entity-row.tsx'
import { DIRECTIONS, tuningOf, withAction, withTuning } from './rule-draft.ts'
import { groupEntities, type RuleGroup } from './rule-groups.ts'
import { type ActionChange, changesOfPreset, isOff, PRESETS, turnedOff, turnedOn } from './rule-presets.ts'
import { entityLabel } from './rule-words.ts'
import type { RuleDraft } from './use-rule-draft.ts'

const TuneDialog = lazy(() => import('./tune-dialog.tsx'))

type Props = { entities: readonly SecurityEntity[]; draft: RuleDraft; isDisabled: boolean }

/** One row per entity in groups, one column per direction. */
export const EntityMatrix = ({ entities, draft, isDisabled }: Props) => {
  const { values, basis, actionOf, change } = draft
  const [tuned, setTuned] = useState<string | null>(null)
  const [text, setText] = useState('')
  const [isOnly, setOnly] = useState(false)
  const apply = (changes: readonly ActionChange[]): void =>
    change({ entities: changes.reduce((next, each) => withAction(next, basis, each), values).entities })
  const isUsed = ({ name }: SecurityEntity): boolean =>
    DIRECTIONS.some(
      direction =>
        actionOf(name, direction) !== 'none' ||
        (basis.saved.entities[name]?.[`${direction}_action`] ?? basis.inherited(name, direction)) !== 'none',
    )
  const shown = entities.filter(
    entity =>
      `${entity.name} ${entityLabel(entity.name)} ${entity.description}`
        .toLowerCase()
        .includes(text.trim().toLowerCase()) &&
      (!isOnly || isUsed(entity)),
  )
  return (
    <Card
      title="Entities"
      note={`${entities.length} kinds of personal data and secrets.`}
      actions={
        !isDisabled && <Presets onChoose={preset => apply(changesOfPreset(preset, entities, actionOf))} />
      }
      isFlush
    >
      <div className="flex flex-wrap items-center justify-between gap-3 border-b border-line px-4.5 py-3 md:px-5">
        <Input
          type="search"
          aria-label="Find an entity"
          placeholder="Find an entity"
          value={text}
          onChange={event => setText(event.target.value)}
          data-search
          className="max-w-72"
        />
        <Switch label="Only active" isOn={isOnly} onChange={setOnly} />
      </div>
      {shown.length === 0 ? (
        <EmptyState title="No entity found">Try another search.</EmptyState>
      ) : (
        <table aria-label="Entities" className="w-full text-sm">
          <Head />
          {groupEntities(shown).map(group => (
            <tbody key={group.title}>
              <GroupRow group={group} draft={draft} isDisabled={isDisabled} onApply={apply} />
              {group.entities.map(entity => (
                <EntityRow
                  key={entity.name}
                  entity={entity}
                  draft={draft}
                  isDisabled={isDisabled}
                  onTune={setTuned}
                  onApply={apply}
                />
              ))}
            </tbody>
          ))}
        </table>
      )}
      <Suspense>
        {tuned !== null && (
          <TuneDialog
            entity={tuned}
            tuning={tuningOf(values, tuned)}
            inheritedThreshold={draft.inheritedThreshold(tuned)}
            onClose={() => setTuned(null)}
            onSave={tuning => {
              change({ entities: withTuning(values, tuned, tuning).entities })
              setTuned(null)
            }}
          />
        )}
      </Suspense>
    </Card>
  )
}

const Presets = ({ onChoose }: { onChoose: (preset: (typeof PRESETS)[number]) => void }) => (
  <Menu
    trigger={
      <Button>
        Apply a preset <ChevronDown className="size-4" aria-hidden="true" />
      </Button>
    }
    className="max-w-80"
  >
    {PRESETS.map(preset => (
      <MenuItem key={preset.name} onSelect={() => onChoose(preset)}>
        <span className="grid gap-0.5 py-1">
          <span className="font-medium">{preset.name}</span>
          <span className="text-xs text-muted">{preset.detail}</span>
        </span>
      </MenuItem>
    ))}
  </Menu>
)

const Head = () => (
  <thead>
    <tr>
      <th scope="col" className="py-2.5 ps-4.5 text-start text-xs font-medium text-muted md:ps-5">
        Entity
      </th>
      <th scope="col" className="px-2 py-2.5 text-start text-xs font-medium text-muted max-md:px-1">
        Arguments <span className="font-normal max-md:hidden">from the agent to the tool</span>
      </th>
      <th scope="col" className="px-2 py-2.5 text-start text-xs font-medium text-muted max-md:px-1">
        Results <span className="font-normal max-md:hidden">from the tool to the agent</span>
      </th>
    </tr>
  </thead>
)

type GroupProps = {
  group: RuleGroup
  draft: RuleDraft
  isDisabled: boolean
  onApply: (changes: readonly ActionChange[]) => void
}

const GroupRow = ({ group: { title, entities }, draft, isDisabled, onApply }: GroupProps) => {
  const off = entities.filter(isOff(draft.actionOf)).length
  const isAllOn = off === 0
  return (
    <tr className="border-t border-line bg-ground">
      <th scope="rowgroup" colSpan={2} className="py-1.5 ps-4.5 text-start font-semibold md:ps-5">
        {title}{' '}
        <span className="font-normal text-muted">
          {entities.length - off} of {entities.length} on
        </span>
      </th>
      <td className="px-2 py-1.5 max-md:px-1">
        {!isDisabled && (
          <Button
            size="sm"
            kind="quiet"
            title={isAllOn ? undefined : 'Detect in arguments, redact in results'}
            aria-label={`${isAllOn ? 'Turn off all' : 'Turn on all'}: ${title}`}
            onClick={() => onApply(isAllOn ? turnedOff(entities) : turnedOn(entities, draft.actionOf))}
          >
            {isAllOn ? 'Turn off all' : 'Turn on all'}
          </Button>
        )}
      </td>
    </tr>
  )
}
