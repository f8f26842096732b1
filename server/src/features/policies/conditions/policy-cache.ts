import type { PolicyEffect } from '@carabiner/contract'
import { nextTurn } from '../../../platform/isolation/next-turn.ts'
import { createSingleFlight } from '../../../platform/single-flight.ts'
import type { CompiledRule } from './compile-policy.ts'
import type { CompiledPolicy, PolicyRule } from './policy.ts'

/** A policy as stored. `hash` identifies its content. */
export type StoredPolicy = { hash: string; rules: readonly PolicyRule[]; defaultEffect: PolicyEffect }

export type PolicyCache<Owner> = {
  /** `hash` identifies the policy that applies to the call; it is read from the database for every call. */
  policyFor: (owner: Owner, hash: string) => Promise<CompiledPolicy>
}

/** Hash if there are no rules and everything is allowed by default. */
export const NO_POLICY = ''

/** Decides without loading the module that compiles conditions. */
const allowAll: CompiledPolicy = {
  reads: { account: false, user: false, client: false, args: false, count: [] },
  readsFor: () => allowAll.reads,
  decide: () => ({ effect: 'allow', defaultEffect: 'allow', matched: [], failed: [] }),
  decideForList: () => 'visible',
}

const MAX_CACHED = 500

type PolicyCacheOptions<Owner> = {
  read: (owner: Owner) => Promise<StoredPolicy>
  /** Identifies the owner in the key of a read that concurrent calls share. */
  keyOf: (owner: Owner) => string
  maxCached?: number
}

/** Other requests are served between the rules, because a rule can take some milliseconds. */
const compileInTurns = async (
  rules: readonly PolicyRule[],
  defaultEffect: PolicyEffect,
): Promise<CompiledPolicy> => {
  const { compileRule, policyOf } = await import('./compile-policy.ts')
  const compiled: CompiledRule[] = []
  for (const rule of rules) {
    compiled.push(compileRule(rule))
    await nextTurn()
  }
  return policyOf(compiled, defaultEffect)
}

/**
 * Cache of compiled policies by their hash. The database determines the hash of every call, so the cache never decides which
 * policy applies. Concurrent calls share a read.
 */
export const createPolicyCache = <Owner>({
  read,
  keyOf,
  maxCached = MAX_CACHED,
}: PolicyCacheOptions<Owner>): PolicyCache<Owner> => {
  const cache = new Map<string, CompiledPolicy>()
  const singleFlight = createSingleFlight<CompiledPolicy>()
  const store = (hash: string, policy: CompiledPolicy): CompiledPolicy => {
    // The most recently used policies are at the end.
    cache.delete(hash)
    cache.set(hash, policy)
    const [oldest] = cache.keys()
    if (cache.size > maxCached && oldest !== undefined) cache.delete(oldest)
    return policy
  }
  const cached = (hash: string): CompiledPolicy | null => {
    if (hash === NO_POLICY) return allowAll
    const policy = cache.get(hash)
    return policy ? store(hash, policy) : null
  }
  const readAndCompile = async (owner: Owner): Promise<CompiledPolicy> => {
    // Stored under the hash that was read with the rules, which may have changed since the call was admitted.
    const { hash, rules, defaultEffect } = await read(owner)
    return cached(hash) ?? store(hash, await compileInTurns(rules, defaultEffect))
  }
  return {
    policyFor: async (owner, hash) =>
      cached(hash) ?? singleFlight(`${keyOf(owner)} ${hash}`, () => readAndCompile(owner)),
  }
}
