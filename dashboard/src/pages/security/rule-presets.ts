import type { SecurityEntity } from '@carabiner/sdk'
import { DIRECTIONS, type Direction } from './rule-draft.ts'
import type { Action } from './rule-words.ts'

type Actions = Record<Direction, Action>
export type Preset = { name: string; detail: string; actionsOf: (entity: SecurityEntity) => Actions | null }

const STRENGTH: readonly Action[] = ['none', 'log', 'redact', 'block']
const REDACT_RESULTS: Actions = { inbound: 'log', outbound: 'redact' }
const BLOCK_ARGUMENTS: Actions = { inbound: 'block', outbound: 'redact' }

/** Entities that are found reliably and do not occur in most results. */
const isPersonal = ({ group, detection, country }: SecurityEntity): boolean =>
  country !== null || (group === 'contact' && detection === 'pattern')

export const PRESETS: readonly Preset[] = [
  {
    name: 'Secrets',
    detail: 'Keys and tokens: blocked in arguments, redacted in results',
    actionsOf: ({ group }) => (group === 'secrets' ? BLOCK_ARGUMENTS : null),
  },
  {
    name: 'Payment data (PCI)',
    detail: 'Card numbers: blocked in arguments, redacted in results. Bank accounts: redacted in results',
    actionsOf: ({ name, group }) =>
      name === 'CREDIT_CARD' ? BLOCK_ARGUMENTS : group === 'finance' ? REDACT_RESULTS : null,
  },
  {
    name: 'Personal data (PII)',
    detail: 'Email addresses, phone and identity numbers: detected in arguments, redacted in results',
    actionsOf: entity => (isPersonal(entity) ? REDACT_RESULTS : null),
  },
]

type ActionOf = (entity: string, direction: Direction) => Action
export type ActionChange = { entity: string; direction: Direction; action: Action }

/** What a preset changes. It never replaces an action by a weaker one. */
export const changesOfPreset = (
  { actionsOf }: Pick<Preset, 'actionsOf'>,
  entities: readonly SecurityEntity[],
  current: ActionOf,
): ActionChange[] =>
  entities.flatMap(entity => {
    const wanted = actionsOf(entity)
    if (wanted === null) return []
    return DIRECTIONS.map(direction => ({
      entity: entity.name,
      direction,
      action: wanted[direction],
    })).filter(
      ({ direction, action }) => STRENGTH.indexOf(action) > STRENGTH.indexOf(current(entity.name, direction)),
    )
  })

/** Turns a whole group on: entities that are on already keep their actions. */
export const turnedOn = (entities: readonly SecurityEntity[], current: ActionOf): ActionChange[] =>
  changesOfPreset({ actionsOf: () => REDACT_RESULTS }, entities.filter(isOff(current)), current)

export const turnedOff = (entities: readonly SecurityEntity[]): ActionChange[] =>
  entities.flatMap(({ name }) =>
    DIRECTIONS.map(direction => ({ entity: name, direction, action: 'none' as const })),
  )

export const isOff =
  (current: ActionOf) =>
  ({ name }: SecurityEntity): boolean =>
    DIRECTIONS.every(direction => current(name, direction) === 'none')
