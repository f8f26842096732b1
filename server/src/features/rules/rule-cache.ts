import { createSingleFlight } from '../../platform/single-flight.ts'
import type { CheckPatterns } from './check-patterns.ts'
import { type CompiledRuleSet, compileRuleSet } from './compile-rule-set.ts'
import { effectiveSettings, type SettingsLayers } from './security-settings.ts'

/** The Tool Pack, and its organization, that the rules belong to. */
export type RuleOwner = { organizationId: string; toolPackId: string }

export type ReadRules = (owner: RuleOwner) => Promise<SettingsLayers & { hash: string }>

export type RuleCache = {
  /** `hash` identifies the settings that apply to the call; it is read from the database for every call. */
  rulesFor: (owner: RuleOwner, hash: string) => Promise<CompiledRuleSet>
  /** Reads the current settings, for callers that do not have the hash. */
  currentRules: (owner: RuleOwner) => Promise<CompiledRuleSet>
}

/** Hash if neither the organization nor the pack has saved settings. */
export const NO_SETTINGS = ':'

const MAX_CACHED = 500

type RuleCacheOptions = { read: ReadRules; checkPatterns: CheckPatterns; maxCached?: number }

/**
 * Cache of compiled rules by the hash of their settings. The database determines the hash of every call, so the cache never
 * decides which rules apply. Settings are read only if their hash is not cached.
 */
export const createRuleCache = ({
  read,
  checkPatterns,
  maxCached = MAX_CACHED,
}: RuleCacheOptions): RuleCache => {
  const defaultRules = compileRuleSet(effectiveSettings({ organization: null, toolPack: null }))
  const cache = new Map<string, CompiledRuleSet>()
  const store = (hash: string, rules: CompiledRuleSet): CompiledRuleSet => {
    // The most recently used rules are at the end.
    cache.delete(hash)
    cache.set(hash, rules)
    const [oldest] = cache.keys()
    if (cache.size > maxCached && oldest !== undefined) cache.delete(oldest)
    return rules
  }
  const cached = (hash: string): CompiledRuleSet | null => {
    if (hash === NO_SETTINGS) return defaultRules
    const rules = cache.get(hash)
    return rules ? store(hash, rules) : null
  }
  const singleFlight = createSingleFlight<CompiledRuleSet>()
  const currentRules = async (owner: RuleOwner): Promise<CompiledRuleSet> => {
    // Stored under the hash that was read with the settings, which may have changed since the call was admitted.
    const { hash, ...layers } = await read(owner)
    return cached(hash) ?? store(hash, await checkAndCompile(checkPatterns, owner.organizationId, layers))
  }
  return {
    currentRules,
    rulesFor: async (owner, hash) =>
      cached(hash) ??
      // The key contains the hash, so that a call never waits for a read that started before its settings were saved.
      singleFlight(`${owner.organizationId} ${owner.toolPackId} ${hash}`, () => currentRules(owner)),
  }
}

/** Checks the patterns of the settings and compiles them. Throws if a pattern is invalid. */
export const checkAndCompile = async (
  checkPatterns: CheckPatterns,
  organizationId: string,
  layers: SettingsLayers,
): Promise<CompiledRuleSet> => {
  const settings = effectiveSettings(layers)
  await checkPatterns(
    organizationId,
    settings.custom_rules.map(({ pattern, ignore_case: ignoreCase }) => ({ pattern, ignoreCase })),
  )
  return compileRuleSet(settings)
}
