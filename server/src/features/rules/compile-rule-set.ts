import { type EffectiveRules, type RuleAction, type RuleDirection, ruleActions } from '@carabiner/contract'
import { compileRules, type Entity, type EntitySettings, type Rules } from '@carabiner/detection'
import { checkPatternCached } from './pattern-check-cache.ts'

/** The rules of one direction, and the action for each entity. */
export type Side = { rules: Rules; actions: ReadonlyMap<string, RuleAction> }

/** A direction is null if it has no rules; its values are not scanned. */
export type CompiledRuleSet = Record<RuleDirection, Side | null> & {
  dryRun: boolean
  settings: EffectiveRules
}

/** Of overlapping matches, the one with the stronger action is kept. */
const rankOf = (action: RuleAction): number => ruleActions.length - ruleActions.indexOf(action)

export const compileRuleSet = (settings: EffectiveRules): CompiledRuleSet => ({
  dryRun: settings.dry_run,
  settings,
  inbound: compileSide(settings, 'inbound_action'),
  outbound: compileSide(settings, 'outbound_action'),
})

const compileSide = (
  { entities, custom_rules }: EffectiveRules,
  which: 'inbound_action' | 'outbound_action',
): Side | null => {
  const selected = Object.entries(entities).filter(([, rule]) => rule[which] !== 'none')
  const custom = custom_rules.filter(rule => rule[which] !== 'none')
  if (selected.length === 0 && custom.length === 0) return null
  const settings = {
    entities: Object.fromEntries(
      selected.map(([entity, rule]): [Entity, EntitySettings] => [
        entity as Entity,
        { threshold: rule.threshold, words: rule.context_words, rank: rankOf(rule[which]) },
      ]),
    ),
    custom: custom.map(rule => ({
      label: rule.label,
      pattern: rule.pattern,
      ignoreCase: rule.ignore_case,
      words: rule.context_words,
      rank: rankOf(rule[which]),
    })),
    // The placeholders of rules for the other direction are not scanned either.
    otherLabels: custom_rules.map(({ label }) => label),
  }
  return {
    rules: compileRules(settings, { checkPattern: checkPatternCached }),
    actions: new Map([
      ...selected.map(([entity, rule]): [string, RuleAction] => [entity, rule[which]]),
      ...custom.map((rule): [string, RuleAction] => [rule.label, rule[which]]),
    ]),
  }
}
