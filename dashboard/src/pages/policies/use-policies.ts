import type {
  PolicyRule,
  PolicyRulePatch,
  PolicyRuleTest,
  PolicyWrite,
  SavedPolicyRule,
} from '@carabiner/sdk'
import { CarabinerError } from '@carabiner/sdk'
import { withSession } from '../../api/installation.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { createBodyOf, patchOf, type RuleDraft } from './rule-draft.ts'

/** Both modes share the policies. */
const SHARED = { mode: 'production' } as const
const OPTIONS = { ...SHARED, invalidates: [['policies']] } as const

const ofPack = (pack: string | undefined) => (pack === undefined ? {} : { tool_pack_id: pack })

export const usePolicy = (pack: string | undefined) =>
  useApiQuery(
    ['policies', 'policy', pack ?? ''],
    (api, options) => api.policy.get(ofPack(pack), options),
    SHARED,
  )

/** A policy has at most 100 rules. */
export const usePolicyRules = (pack: string | undefined) =>
  useApiQuery(
    ['policies', 'rules', pack ?? ''],
    async (api, options): Promise<PolicyRule[]> =>
      (await api.policyRules.list({ ...ofPack(pack), limit: 100 }, options).page()).data,
    SHARED,
  )

export const usePolicyRule = (id: string | undefined) =>
  useApiQuery(['policies', 'rule', id ?? ''], (api, options) => api.policyRules.get(id as string, options), {
    ...SHARED,
    enabled: id !== undefined,
  })

/** Checks a rule and applies it to the recorded calls of the current mode. The latest result stays until the next one arrives. */
export const useRuleTest = (body: PolicyRuleTest | null) =>
  useApiQuery(
    ['policies', 'test', body],
    (api, options) => api.policyRules.test(body as PolicyRuleTest, options),
    { enabled: body !== null, keepPrevious: body !== null },
  )

// What lets more calls run asks for a recent sign-in first.

export const useSetPolicy = (pack: string | undefined, onSuccess: () => void) =>
  useApiMutation(
    (api, policy: Pick<PolicyWrite, 'default' | 'approval_binding'>) =>
      withSession(() => api.policy.set({ ...ofPack(pack), ...policy })),
    { ...OPTIONS, onSuccess },
  )

export const useCreateRule = (
  pack: string | undefined,
  onSuccess: (rule: SavedPolicyRule, submitted: RuleDraft) => void,
) =>
  useApiMutation(
    (api, draft: RuleDraft) =>
      withSession(() => api.policyRules.create({ ...ofPack(pack), ...createBodyOf(draft) })),
    { ...OPTIONS, onSuccess },
  )

type RuleChange = { changes: Partial<RuleDraft>; values: RuleDraft }

export const useChangeRule = (
  id: string,
  onSuccess: (rule: SavedPolicyRule, submitted: RuleChange) => void,
) =>
  useApiMutation(
    (api, { changes, values }: RuleChange) =>
      withSession(() => api.policyRules.update(id, patchOf(changes, values) as PolicyRulePatch)),
    { ...OPTIONS, onSuccess },
  )

export const useDeleteRule = (onSuccess: () => void) =>
  useApiMutation((api, id: string) => withSession(() => api.policyRules.remove(id)), {
    ...OPTIONS,
    onSuccess,
  })

export const useRotateHookSecret = (id: string, onSuccess: (rule: SavedPolicyRule) => void) =>
  useApiMutation(api => withSession(() => api.policyRules.rotateHookSecret(id)), { ...OPTIONS, onSuccess })

export const useHookTest = (id: string) => useApiMutation(api => api.policyRules.testHook(id), SHARED)

/** The person has closed the sign-in dialog. */
export const needsRecentSignIn = (error: unknown): boolean =>
  error instanceof CarabinerError && error.code === 'recent_sign_in_required'
