import type { SecurityRules, SecurityRulesWrite } from '@carabiner/sdk'
import { ACTION_LABELS, type Action, entityLabel } from './rule-words.ts'

export type CustomRule = NonNullable<SecurityRulesWrite['custom_rules']>[number]
export type EntityRule = NonNullable<SecurityRulesWrite['entities']>[string]
export const DIRECTIONS = ['inbound', 'outbound'] as const
export type Direction = (typeof DIRECTIONS)[number]

/** The settings of one level. An entity that is not in it has its default. */
export type Draft = {
  dry_run: boolean | null
  entities: Record<string, EntityRule>
  custom_rules: CustomRule[]
}

export const draftOf = ({ dry_run, entities, custom_rules }: SecurityRules): Draft => ({
  dry_run,
  entities,
  custom_rules,
})

/** The rules that apply without a setting of this level, and the saved settings. */
export type Basis = { saved: Draft; inherited: (entity: string, direction: Direction) => Action }

/** An inherited action is omitted unless it is saved, so that undoing a change leaves no change. */
export const withAction = (
  { entities, ...draft }: Draft,
  { saved, inherited }: Basis,
  { entity, direction, action }: { entity: string; direction: Direction; action: Action },
): Draft => {
  const field = `${direction}_action` as const
  const { [entity]: rule = {}, ...others } = entities
  const { [field]: _action, ...rest } = rule
  const isLeftOut = action === inherited(entity, direction) && saved.entities[entity]?.[field] !== action
  const next = isLeftOut ? rest : { ...rest, [field]: action }
  return { ...draft, entities: Object.keys(next).length === 0 ? others : { ...others, [entity]: next } }
}

/** How sure a match must be. Without a value, the default applies. */
export type Tuning = Pick<EntityRule, 'threshold' | 'context_words'>

export const tuningOf = (draft: Draft, entity: string): Tuning => {
  const { threshold, context_words } = draft.entities[entity] ?? {}
  return { ...(threshold !== undefined && { threshold }), ...(context_words && { context_words }) }
}

export const withTuning = (draft: Draft, entity: string, tuning: Tuning): Draft => {
  const { threshold: _threshold, context_words: _words, ...actions } = draft.entities[entity] ?? {}
  const rule = { ...actions, ...tuning }
  const { [entity]: _rule, ...others } = draft.entities
  return { ...draft, entities: Object.keys(rule).length === 0 ? others : { ...others, [entity]: rule } }
}

/** The body of a replacement. */
export const toWrite = ({ dry_run, entities, custom_rules }: Draft): SecurityRulesWrite => ({
  ...(dry_run !== null && { dry_run }),
  entities,
  custom_rules,
})

export type Difference = { what: string; from: string; to: string }
type Defaults = (entity: string, direction: Direction) => Action

/** The differences in words, for the summary before saving. */
export const differences = (before: Draft, after: Draft, defaults: Defaults): Difference[] => {
  const names = [...new Set([...Object.keys(before.entities), ...Object.keys(after.entities)])].toSorted()
  const actionOf = (draft: Draft, entity: string, direction: Direction): Action =>
    draft.entities[entity]?.[`${direction}_action`] ?? defaults(entity, direction)
  const ofEntities = names.flatMap(entity =>
    DIRECTIONS.flatMap(direction => {
      const [from, to] = [actionOf(before, entity, direction), actionOf(after, entity, direction)]
      const what = `${entityLabel(entity)}, ${direction === 'inbound' ? 'arguments' : 'results'}`
      return from === to ? [] : [{ what, from: ACTION_LABELS[from], to: ACTION_LABELS[to] }]
    }),
  )
  const ofTuning = names.flatMap(entity => tuningDifferences(before, after, entity))
  return [...ofDryRun(before, after), ...ofEntities, ...ofTuning, ...ofCustomRules(before, after)]
}

const tuningDifferences = (before: Draft, after: Draft, entity: string): Difference[] => {
  const [from, to] = [tuningOf(before, entity), tuningOf(after, entity)]
  const label = entityLabel(entity)
  const threshold = ({ threshold: value }: Tuning): string => value?.toString() ?? 'Default'
  const words = ({ context_words = [] }: Tuning): string => context_words.join(', ') || 'None'
  return [
    { what: `${label}, threshold`, from: threshold(from), to: threshold(to) },
    { what: `${label}, context words`, from: words(from), to: words(to) },
  ].filter(difference => difference.from !== difference.to)
}

const ofDryRun = (before: Draft, after: Draft): Difference[] => {
  const text = (value: boolean | null): string => (value === null ? 'Default' : value ? 'On' : 'Off')
  return before.dry_run === after.dry_run
    ? []
    : [{ what: 'Dry run', from: text(before.dry_run), to: text(after.dry_run) }]
}

const ofCustomRules = (before: Draft, after: Draft): Difference[] => {
  const labels = [...new Set([...before.custom_rules, ...after.custom_rules].map(({ label }) => label))]
  const find = (draft: Draft, label: string) => draft.custom_rules.find(rule => rule.label === label)
  const text = (rule: CustomRule | undefined): string =>
    rule
      ? `/${rule.pattern}/${rule.ignore_case ? 'i' : ''} · ${ACTION_LABELS[rule.inbound_action ?? 'log']} · ${ACTION_LABELS[rule.outbound_action ?? 'log']}${(rule.context_words ?? []).map(word => ` · ${word}`).join('')}`
      : 'None'
  return labels.flatMap(label => {
    const [from, to] = [text(find(before, label)), text(find(after, label))]
    return from === to ? [] : [{ what: `Custom rule ${label}`, from, to }]
  })
}
