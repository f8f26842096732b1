import type { SecurityEntity } from '@carabiner/sdk'
import { SlidersHorizontal } from 'lucide-react'
import { IconButton } from '../../ui/icon-button.tsx'
import { ActionSelect } from './action-select.tsx'
import { DIRECTIONS, type Tuning, tuningOf } from './rule-draft.ts'
import type { ActionChange } from './rule-presets.ts'
import { entityLabel } from './rule-words.ts'
import type { RuleDraft } from './use-rule-draft.ts'

type Props = {
  entity: SecurityEntity
  draft: RuleDraft
  isDisabled: boolean
  onTune: (entity: string) => void
  onApply: (changes: readonly ActionChange[]) => void
}

const COLUMNS = { inbound: 'arguments', outbound: 'results' } as const

export const EntityRow = ({ entity, draft, isDisabled, onTune, onApply }: Props) => {
  const { name, description, detection } = entity
  const { values, basis, actionOf } = draft
  return (
    <tr className="border-t border-line">
      <th scope="row" className="py-2.5 ps-4.5 pe-2 text-start font-normal md:ps-5">
        <span className="flex items-center gap-2">
          <span className="min-w-0 flex-1">
            <span className="font-medium">{entityLabel(name)}</span>
            <span className="block text-xs text-muted max-md:hidden">
              {description}
              {detection === 'guess' && '. Not reliable.'}
            </span>
            <TuningNote tuning={tuningOf(values, name)} />
          </span>
          {!isDisabled && (
            <IconButton
              label={`Tune ${entityLabel(name)}`}
              icon={<SlidersHorizontal className="size-4" aria-hidden="true" />}
              onClick={() => onTune(name)}
            />
          )}
        </span>
      </th>
      {DIRECTIONS.map(direction => {
        const action = actionOf(name, direction)
        const saved = basis.saved.entities[name]?.[`${direction}_action`] ?? basis.inherited(name, direction)
        return (
          <td key={direction} className="px-2 py-2.5 max-md:px-1">
            <ActionSelect
              label={`${entityLabel(name)}, ${COLUMNS[direction]}`}
              value={action}
              isDisabled={isDisabled}
              isChanged={action !== saved}
              onChange={next => onApply([{ entity: name, direction, action: next }])}
            />
          </td>
        )
      })}
    </tr>
  )
}

const TuningNote = ({ tuning: { threshold, context_words = [] } }: { tuning: Tuning }) => {
  const notes = [
    ...(threshold === undefined ? [] : [`Threshold ${threshold}`]),
    ...(context_words.length === 0 ? [] : [`Context: ${context_words.join(', ')}`]),
  ]
  return notes.length > 0 && <span className="block text-xs break-words">{notes.join(' · ')}</span>
}
