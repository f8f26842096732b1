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
import type { CheckPatterns } from './check-patterns.ts'
import { checkSettings } from './check-settings.ts'
import type { CompiledRuleSet } from './compile-rule-set.ts'
import { type ActedMatch, findMatches, redactMatches } from './decide-action.ts'
import { compileAccepted, isLarge } from './isolated-decide.ts'
import { checkAndCompile } from './rule-cache.ts'
import type { SettingsLayers } from './security-settings.ts'

type Input = { settings: EffectiveRules; direction: RuleDirection; value: unknown; isText: boolean }

export type TryRulesDeps = { isolated: IsolatedPool; checkPatterns: CheckPatterns }

/** Higher than the limit of the scan, because it also covers building the response. */
const TRY_CPU_MS = 5 * SECOND

/** Reports the matches in a text or a value and the resulting action. Nothing is stored. */
export const tryRules = async (
  { isolated, checkPatterns }: TryRulesDeps,
  organizationId: string,
  request: SecurityRulesTest,
  saved: SettingsLayers,
): Promise<SecurityRulesTested> => {
  const isText = request.text !== undefined
  if (isText === (request.value !== undefined))
    throw new Refusal('invalid_request', { param: 'text', message: 'Give either "text" or "value".' })
  const value = isText ? request.text : request.value
  const layers = await withDraft(request, saved, { checkPatterns, organizationId })
  const rules = await checkAndCompile(checkPatterns, organizationId, layers)
  const direction = request.direction ?? 'outbound'
  if (!isLarge(rules, value)) return report(rules, { direction, value, isText })
  const input: Input = { settings: rules.settings, direction, value, isText }
  const run = isolated.run(organizationId, 'try-rules', input, { cpuMs: TRY_CPU_MS })
  return (await run.catch(toRefusal)) as SecurityRulesTested
}

export const tryRulesTask = ({ settings, ...run }: Input): SecurityRulesTested =>
  report(compileAccepted(settings), run)

const toRefusal = (error: unknown): never => {
  if (!(error instanceof IsolatedError)) throw error
  if (error.failure === 'busy') throw capacityExceeded(error)
  throw new Refusal('invalid_request', {
    message: 'The scan of this text or value takes too long. Use a shorter one or fewer custom rules.',
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
  checking: { checkPatterns: CheckPatterns; organizationId: string },
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
