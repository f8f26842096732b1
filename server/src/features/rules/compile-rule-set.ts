import { type EffectiveRules, type RuleAction, type RuleDirection, ruleActions } from '@carabiner/contract'
import { compileRules, type EntitySettings, type Rules } from './compile-rules.ts'
import type { Entity } from './entities.ts'

/** What is looked for in one direction, and what follows. */
export type Side = { rules: Rules; actions: ReadonlyMap<string, RuleAction> }

/** Null: nothing is looked for in that direction, and values pass unread. */
export type CompiledRuleSet = Record<RuleDirection, Side | null> & {
  dryRun: boolean
  settings: EffectiveRules
}

/** Where matches overlap, the one with the stronger action stays. */
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
  const chosen = Object.entries(entities).filter(([, rule]) => rule[which] !== 'none')
  const custom = custom_rules.filter(rule => rule[which] !== 'none')
  if (chosen.length === 0 && custom.length === 0) return null
  const rules = compileRules({
    entities: Object.fromEntries(
      chosen.map(([entity, rule]): [Entity, EntitySettings] => [
        entity as Entity,
        { threshold: rule.threshold, words: rule.context_words, rank: rankOf(rule[which]) },
      ]),
    ),
    custom: custom.map(rule => ({
      label: rule.label,
      pattern: rule.pattern,
      ignoreCase: rule.ignore_case,
      words: rule.context_words,
    })),
  })
  const customRanks = custom.map((rule): [string, number] => [rule.label, rankOf(rule[which])])
  return {
    rules: {
      ...rules,
      rank: new Map([...rules.rank, ...customRanks]),
      // Also what only the other direction looks for: its placeholders are left alone here too.
      labels: new Set([...rules.labels, ...custom_rules.map(({ label }) => label)]),
    },
    actions: new Map([
      ...chosen.map(([entity, rule]): [string, RuleAction] => [entity, rule[which]]),
      ...custom.map((rule): [string, RuleAction] => [rule.label, rule[which]]),
    ]),
  }
}
