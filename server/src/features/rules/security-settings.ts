import type { CustomSecurityRule, EffectiveRules, EntityRule, SecurityRulesWrite } from '@carabiner/contract'
import { DEFAULT_THRESHOLD, ENTITIES, type Entity } from '@carabiner/detection'
import { defaultActions } from './entity-catalog.ts'

/** Saved settings of an organization or a Tool Pack. */
export type SecuritySettings = SecurityRulesWrite

/** Settings that apply to a call; null if none were saved. */
export type SettingsLayers = { organization: SecuritySettings | null; toolPack: SecuritySettings | null }

/** Settings of the pack override those of the organization field by field; both override the defaults. */
export const effectiveSettings = ({ organization, toolPack }: SettingsLayers): EffectiveRules => {
  const layers = [organization ?? {}, toolPack ?? {}]
  return {
    dry_run: toolPack?.dry_run ?? organization?.dry_run ?? false,
    entities: Object.fromEntries(
      ENTITIES.map(entity => [
        entity,
        entityRule(
          entity,
          layers.map(layer => layer.entities?.[entity] ?? {}),
        ),
      ]),
    ),
    custom_rules: [...byLabel(layers.flatMap(layer => layer.custom_rules ?? [])).values()],
  }
}

const entityRule = (entity: Entity, layers: EntityRule[]): EffectiveRules['entities'][string] =>
  Object.assign(
    { ...defaultActions(entity), threshold: DEFAULT_THRESHOLD, context_words: [] },
    ...layers,
  ) as EffectiveRules['entities'][string]

/** If two rules have the same label, the later one, which is the pack's, takes precedence. */
const byLabel = (rules: CustomSecurityRule[]): Map<string, EffectiveRules['custom_rules'][number]> =>
  new Map(
    rules.map(rule => [
      rule.label,
      {
        ignore_case: false,
        context_words: [],
        inbound_action: 'log',
        outbound_action: 'log',
        ...rule,
      },
    ]),
  )
