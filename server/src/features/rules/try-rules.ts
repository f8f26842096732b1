import {
  type EffectiveRules,
  type RuleAction,
  type RuleDirection,
  ruleActions,
  type SecurityRulesTest,
  type SecurityRulesTested,
  securityRuleBounds,
} from '@carabiner/contract'
import { SECOND } from '../../core/duration.ts'
import { Refusal } from '../../core/refusal.ts'
import { capacityExceeded } from '../../edge/capacity-exceeded.ts'
import { IsolatedError, type IsolatedPool } from '../../platform/isolation/isolated-pool.ts'
import type { JudgePatterns } from './check-patterns.ts'
import { checkSettings } from './check-settings.ts'
import type { CompiledRuleSet } from './compile-rule-set.ts'
import { type ActedMatch, findMatches, redactMatches } from './decide.ts'
import { compileAccepted, isLarge } from './isolated-decide.ts'
import { compileJudged } from './rule-book.ts'
import type { SettingsLayers } from './security-settings.ts'

type Input = { settings: EffectiveRules; direction: RuleDirection; value: unknown; isText: boolean }

export type TryRulesDeps = { isolated: IsolatedPool; judge: JudgePatterns }

/** More than the scan's own limit: the answer is put together in the same time. */
const TRY_CPU_MS = 5 * SECOND

/** What the rules would find in a text or a value, and what would follow. Nothing of it is kept. */
export const tryRules = async (
  { isolated, judge }: TryRulesDeps,
  organizationId: string,
  asked: SecurityRulesTest,
  saved: SettingsLayers,
): Promise<SecurityRulesTested> => {
  const isText = asked.text !== undefined
  if (isText === (asked.value !== undefined))
    throw new Refusal('invalid_request', { param: 'text', message: 'Give either "text" or "value".' })
  const value = isText ? asked.text : asked.value
  const layers = await withDraft(asked, saved, { judge, organizationId })
  const rules = await compileJudged(judge, organizationId, layers)
  const direction = asked.direction ?? 'outbound'
  if (!isLarge(rules, value)) return report(rules, { direction, value, isText })
  const input: Input = { settings: rules.settings, direction, value, isText }
  const tried = isolated.run(organizationId, 'try-rules', input, { cpuMs: TRY_CPU_MS })
  return (await tried.catch(explain)) as SecurityRulesTested
}

export const tryRulesTask = ({ settings, ...tried }: Input): SecurityRulesTested =>
  report(compileAccepted(settings), tried)

const explain = (error: unknown): never => {
  if (!(error instanceof IsolatedError)) throw error
  if (error.failure === 'busy') throw capacityExceeded(error)
  throw new Refusal('invalid_request', {
    message: 'The rules take too long on this text or value. Try a shorter one, or fewer custom rules.',
  })
}

const report = (
  rules: CompiledRuleSet,
  { direction, value, isText }: Omit<Input, 'settings'>,
): SecurityRulesTested => {
  const found = findMatches(rules[direction], value)
  const action = strongest(found)
  const passes = action !== 'block' || rules.dryRun
  return {
    action,
    dry_run: rules.dryRun,
    redacted: passes ? (rules.dryRun ? value : redactMatches(value, found)) : null,
    match_count: found.length,
    matches: found.slice(0, securityRuleBounds.testMatches).map(match => describe(match, isText)),
  }
}

const withDraft = async (
  { rules, tool_pack_id: packId }: SecurityRulesTest,
  saved: SettingsLayers,
  checking: { judge: JudgePatterns; organizationId: string },
): Promise<SettingsLayers> => {
  if (!rules) return saved
  const draft = await checkSettings(rules, { ...checking, under: 'rules.' })
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
