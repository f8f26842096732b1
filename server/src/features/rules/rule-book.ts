import { createSingleFlight } from '../../platform/single-flight.ts'
import type { JudgePatterns } from './check-patterns.ts'
import { type CompiledRuleSet, compileRuleSet } from './compile-rule-set.ts'
import { effectiveSettings, type SettingsLayers } from './security-settings.ts'

/** Whose rules: those of a pack of an organization. */
export type RuleOwner = { organizationId: string; toolPackId: string }

export type ReadRules = (owner: RuleOwner) => Promise<SettingsLayers & { hash: string }>

export type RuleBook = {
  /** `hash` is read anew for every call, and names the settings that hold for it. */
  rulesFor: (owner: RuleOwner, hash: string) => Promise<CompiledRuleSet>
  /** The same where no statement brought the hash along. */
  currentRules: (owner: RuleOwner) => Promise<CompiledRuleSet>
}

/** The hash where neither the organization nor the pack has said anything. */
export const NO_SETTINGS = ':'

const MAX_KEPT = 500

type RuleBookOptions = { read: ReadRules; judge: JudgePatterns; maxKept?: number }

/**
 * Compiled rules by the hash of their settings. It decides nothing: which hash counts is the database's word, and what a hash
 * names never changes. Settings are read only where their hash was not seen before, so that a call carries no more than that.
 */
export const createRuleBook = ({ read, judge, maxKept = MAX_KEPT }: RuleBookOptions): RuleBook => {
  const nothingSaid = compileRuleSet(effectiveSettings({ organization: null, toolPack: null }))
  const kept = new Map<string, CompiledRuleSet>()
  const keep = (hash: string, rules: CompiledRuleSet): CompiledRuleSet => {
    // Those used last stand at the end.
    kept.delete(hash)
    kept.set(hash, rules)
    const [oldest] = kept.keys()
    if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest)
    return rules
  }
  const known = (hash: string): CompiledRuleSet | null => {
    if (hash === NO_SETTINGS) return nothingSaid
    const rules = kept.get(hash)
    return rules ? keep(hash, rules) : null
  }
  const share = createSingleFlight<CompiledRuleSet>()
  const currentRules = async (owner: RuleOwner): Promise<CompiledRuleSet> => {
    // Under the hash that was read with them: they may have changed since the call was admitted.
    const { hash, ...layers } = await read(owner)
    return known(hash) ?? keep(hash, await compileJudged(judge, owner.organizationId, layers))
  }
  return {
    currentRules,
    rulesFor: async (owner, hash) =>
      known(hash) ??
      // Who saw the same hash reads the same settings or newer ones: only they wait for each other.
      share(`${owner.organizationId} ${owner.toolPackId} ${hash}`, () => currentRules(owner)),
  }
}

/** Compiles settings after their patterns are judged. Throws where one of them may not be used. */
export const compileJudged = async (
  judge: JudgePatterns,
  organizationId: string,
  layers: SettingsLayers,
): Promise<CompiledRuleSet> => {
  const settings = effectiveSettings(layers)
  await judge(
    organizationId,
    settings.custom_rules.map(({ pattern, ignore_case: ignoreCase }) => ({ pattern, ignoreCase })),
  )
  return compileRuleSet(settings)
}
