import {
  type RuleAction,
  ruleActions,
  type SecurityRulesTest,
  type SecurityRulesTested,
} from '@carabiner/contract'
import { Refusal } from '../../core/refusal.ts'
import { checkSettings } from './check-settings.ts'
import { type ActedMatch, findMatches, redactMatches } from './decide.ts'
import { compileInTurns } from './rule-book.ts'
import type { SettingsLayers } from './security-settings.ts'

/** What the rules would find in a text or a value, and what would follow. Nothing of it is kept. */
export const tryRules = async (
  asked: SecurityRulesTest,
  saved: SettingsLayers,
): Promise<SecurityRulesTested> => {
  const isText = asked.text !== undefined
  if (isText === (asked.value !== undefined))
    throw new Refusal('invalid_request', { param: 'text', message: 'Give either "text" or "value".' })
  const value = isText ? asked.text : asked.value
  const rules = await compileInTurns(await withDraft(asked, saved))
  const found = findMatches(rules[asked.direction ?? 'outbound'], value)
  const action = strongest(found)
  const passes = action !== 'block' || rules.dryRun
  return {
    action,
    dry_run: rules.dryRun,
    redacted: passes ? (rules.dryRun ? value : redactMatches(value, found)) : null,
    matches: found.map(match => describe(match, isText)),
  }
}

const withDraft = async (
  { rules, tool_pack_id: packId }: SecurityRulesTest,
  saved: SettingsLayers,
): Promise<SettingsLayers> => {
  if (!rules) return saved
  const draft = await checkSettings(rules, 'rules.')
  return packId === undefined ? { ...saved, organization: draft } : { ...saved, toolPack: draft }
}

const strongest = (found: readonly ActedMatch[]): RuleAction =>
  ruleActions.find(action => found.some(match => match.action === action)) ?? 'none'

const describe = (
  { entity, places, score, rule, context, action }: ActedMatch,
  isText: boolean,
): SecurityRulesTested['matches'][number] => ({
  entity,
  ...(isText ? { start: places[0].start, end: places[0].end } : { places }),
  score,
  rule,
  context_words: [...context],
  action,
})
