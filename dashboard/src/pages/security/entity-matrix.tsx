import type { SecurityEntity } from '@carabiner/sdk'
import { SlidersHorizontal } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { Card } from '../../ui/card.tsx'
import { Input } from '../../ui/forms/input.tsx'
import { Switch } from '../../ui/forms/switch.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { EmptyState } from '../../ui/states/empty-state.tsx'
import { ActionSelect } from './action-select.tsx'
import { type Direction, type Draft, type Tuning, tuningOf, withAction, withTuning } from './rule-draft.ts'
import { type Action, entityLabel } from './rule-words.ts'

const TuneDialog = lazy(() => import('./tune-dialog.tsx'))

type Props = {
  entities: readonly SecurityEntity[]
  draft: Draft
  saved: Draft
  /** The action of an entity without a setting. */
  inherited: (entity: string, direction: Direction) => Action
  inheritedThreshold: (entity: string) => number
  isDisabled: boolean
  onChange: (draft: Draft) => void
}

const DIRECTIONS = [
  { direction: 'inbound', label: 'Arguments', hint: 'from the agent to the tool' },
  { direction: 'outbound', label: 'Results', hint: 'from the tool to the agent' },
] as const

/** One row per entity, one column per direction. */
export const EntityMatrix = ({
  entities,
  draft,
  saved,
  inherited,
  inheritedThreshold,
  isDisabled,
  onChange,
}: Props) => {
  const [tuned, setTuned] = useState<string | null>(null)
  const [text, setText] = useState('')
  const [isOnly, setOnly] = useState(false)
  const actionOf = (from: Draft, entity: string, direction: Direction): Action =>
    from.entities[entity]?.[`${direction}_action`] ?? inherited(entity, direction)
  const isUsed = (name: string): boolean =>
    DIRECTIONS.some(
      ({ direction }) =>
        actionOf(draft, name, direction) !== 'none' || actionOf(saved, name, direction) !== 'none',
    )
  const shown = entities.filter(
    ({ name, description }) =>
      `${name} ${entityLabel(name)} ${description}`.toLowerCase().includes(text.trim().toLowerCase()) &&
      (!isOnly || isUsed(name)),
  )
  return (
    <Card title="Entities" note={`${entities.length} kinds of personal data and secrets.`} isFlush>
      <div className="flex flex-wrap items-center justify-between gap-3 border-b border-line px-4.5 py-3 md:px-5">
        <Input
          type="search"
          aria-label="Find an entity"
          placeholder="Find an entity"
          value={text}
          onChange={event => setText(event.target.value)}
          className="max-w-72"
        />
        <Switch label="Only those in use" isOn={isOnly} onChange={setOnly} />
      </div>
      {shown.length === 0 ? (
        <EmptyState title="No entity found">Change the search.</EmptyState>
      ) : (
        <table aria-label="Entities" className="w-full text-sm">
          <thead>
            <tr>
              <th scope="col" className="py-2.5 ps-4.5 text-start text-xs font-medium text-muted md:ps-5">
                Entity
              </th>
              {DIRECTIONS.map(({ direction, label, hint }) => (
                <th
                  key={direction}
                  scope="col"
                  className="px-2 py-2.5 text-start text-xs font-medium text-muted"
                >
                  {label} <span className="font-normal max-md:hidden">{hint}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map(({ name, description, detection }) => (
              <tr key={name} className="border-t border-line">
                <th scope="row" className="py-2.5 ps-4.5 pe-2 text-start font-normal md:ps-5">
                  <span className="flex items-center gap-2">
                    <span className="min-w-0 flex-1">
                      <span className="font-medium">{entityLabel(name)}</span>
                      <span className="block text-xs text-muted max-md:hidden">
                        {description}
                        {detection === 'guess' && ' Found by dictionary, and not reliable.'}
                      </span>
                      <TuningNote tuning={tuningOf(draft, name)} />
                    </span>
                    {!isDisabled && (
                      <IconButton
                        label={`Tune ${entityLabel(name)}`}
                        icon={<SlidersHorizontal className="size-4" aria-hidden="true" />}
                        onClick={() => setTuned(name)}
                      />
                    )}
                  </span>
                </th>
                {DIRECTIONS.map(({ direction, label }) => {
                  const action = actionOf(draft, name, direction)
                  return (
                    <td key={direction} className="px-2 py-2.5 max-md:px-1">
                      <ActionSelect
                        label={`${entityLabel(name)}, ${label.toLowerCase()}`}
                        value={action}
                        isDisabled={isDisabled}
                        isChanged={action !== actionOf(saved, name, direction)}
                        onChange={next => onChange(withAction(draft, name, direction, next))}
                      />
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Suspense>
        {tuned !== null && (
          <TuneDialog
            entity={tuned}
            tuning={tuningOf(draft, tuned)}
            inheritedThreshold={inheritedThreshold(tuned)}
            onClose={() => setTuned(null)}
            onSave={tuning => {
              onChange(withTuning(draft, tuned, tuning))
              setTuned(null)
            }}
          />
        )}
      </Suspense>
    </Card>
  )
}

const TuningNote = ({ tuning: { threshold, context_words = [] } }: { tuning: Tuning }) => {
  const notes = [
    ...(threshold === undefined ? [] : [`Threshold ${threshold}`]),
    ...(context_words.length === 0 ? [] : [`Context: ${context_words.join(', ')}`]),
  ]
  return notes.length > 0 && <span className="block text-xs break-words">{notes.join(' · ')}</span>
}
