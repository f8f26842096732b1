import type { SecurityEntity, SecurityRules } from '@carabiner/sdk'
import { useMemo } from 'react'
import { useDraft } from '../../drafts/use-draft.ts'
import { type Basis, type Direction, differences, draftOf } from './rule-draft.ts'
import type { Action } from './rule-words.ts'
import { useEntities, useRules } from './use-rules.ts'

export type LoadedRules = { saved: SecurityRules; own: SecurityRules; entities: SecurityEntity[] }

/** The saved rules of the organization or a Tool Pack, with what they inherit from. */
export const useLoadedRules = (pack: string | undefined) => {
  const rules = useRules(pack)
  const own = useRules(undefined)
  const entities = useEntities()
  const data: LoadedRules | undefined =
    rules.data && own.data && entities.data
      ? { saved: rules.data, own: own.data, entities: entities.data }
      : undefined
  return { data, error: rules.error ?? own.error ?? entities.error, refetch: rules.refetch }
}

/** The unsaved changes of the rules, which the tabs Rules and Test share. */
export const useRuleDraft = (pack: string | undefined, { saved, own, entities }: LoadedRules) => {
  const before = useMemo(() => draftOf(saved), [saved])
  const draft = useDraft(`security-rules.${pack ?? 'organization'}`, before)
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
  const basis: Basis = { saved: before, inherited }
  return {
    ...draft,
    basis,
    inheritedThreshold,
    differences: differences(before, draft.values, inherited),
    actionOf: (entity: string, direction: Direction): Action =>
      draft.values.entities[entity]?.[`${direction}_action`] ?? inherited(entity, direction),
  }
}
export type RuleDraft = ReturnType<typeof useRuleDraft>
