import type { PolicyMaker } from '@carabiner/contract'
import type { Queryable } from '../../platform/database/database.ts'
import { ALWAYS } from './conditions/policy.ts'
import { createPolicyCache, NO_POLICY } from './conditions/policy-cache.ts'
import { type DecidingPolicy, type PolicyHashes } from './decide-call.ts'
import { type PolicyOwner, policyStore } from './policy-store.ts'

export type PolicyReader = {
  /** The policies that decide a call: that of the organization, and that of its Tool Pack. The hashes are those of its admission. */
  policiesFor(
    owner: { organizationId: string; toolPackId: string },
    hashes: PolicyHashes,
  ): Promise<DecidingPolicy[]>
}

/** Reads policies whose hash is not cached. */
export const createPolicyReader = (db: Queryable): PolicyReader => {
  const cache = createPolicyCache<PolicyOwner>({
    read: async owner => {
      const { hash, rules, defaultEffect } = await policyStore.read(db, owner)
      return {
        hash,
        defaultEffect,
        rules: rules.map(
          ({ condition, reason, made_by, step_up: stepUp, prevent_self_approval, ...rule }) => ({
            ...rule,
            stepUp,
            preventsSelfApproval: prevent_self_approval,
            when: condition ?? ALWAYS,
            ...(reason !== null && isShown(made_by) && { reason }),
          }),
        ),
      }
    },
    keyOf: ({ organizationId, toolPackId }) => `${organizationId} ${toolPackId}`,
  })
  return {
    policiesFor: async ({ organizationId, toolPackId }, { organization, pack }) => {
      const [own, ofPack] = await Promise.all([
        organization === NO_POLICY
          ? null
          : cache.policyFor({ organizationId, toolPackId: null }, organization),
        pack === NO_POLICY ? null : cache.policyFor({ organizationId, toolPackId }, pack),
      ])
      return [
        ...(own ? [{ of: 'organization' as const, policy: own }] : []),
        ...(ofPack ? [{ of: 'tool_pack' as const, policy: ofPack }] : []),
      ]
    },
  }
}

/** An agent may hold a key without the group `policies`, so its words are not shown as those of the organization. */
const isShown = (madeBy: PolicyMaker): boolean => madeBy !== 'key'
