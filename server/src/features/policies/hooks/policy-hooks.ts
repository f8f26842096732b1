import { type PolicyHookRequest, policyBounds } from '@carabiner/contract'
import { newUuid } from '../../../core/uuid.ts'
import type { Queryable } from '../../../platform/database/database.ts'
import { startDeadline } from '../../../platform/egress/deadline.ts'
import type { Egress } from '../../../platform/egress/egress.ts'
import type { Metrics } from '../../../platform/metrics/metrics.ts'
import { openSigners } from '../../../platform/vault/signing-secrets.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import { createBreakers } from '../../upstream/traffic/breakers.ts'
import { createBulkhead } from '../../upstream/traffic/bulkhead.ts'
import type { HookAnswer, HookAnswers } from './hook-answer.ts'
import { createHookMetrics } from './hook-metrics.ts'
import { signedFor } from './hook-secrets.ts'
import { policyHookStore, type StoredHook } from './hook-store.ts'
import { type HookResult, sendHook } from './send-hook.ts'

/** What a hook is told about a call, without what is the hook’s own. */
export type HookedCall = Omit<PolicyHookRequest, 'id' | 'type' | 'policy_rule'>
type AskedRule = { id: string; name: string }

export type PolicyHooks = {
  /** Asks the hooks of the rules in parallel. The answers are complete within two seconds. */
  ask(call: HookedCall, rules: readonly AskedRule[]): Promise<HookAnswers>
  /** Sends example data. Null: the rule has no hook. */
  test(call: HookedCall, rule: AskedRule): Promise<HookResult | null>
}

type Deps = {
  db: Queryable
  vault: Vault
  egress: Egress
  metrics: Metrics
  now?: () => number
  answerMs?: number
}

/** Requests in flight for one organization, so that its endpoints that hang do not take the connections of others. */
const MAX_IN_FLIGHT = 64

export const createPolicyHooks = ({
  db,
  vault,
  egress,
  metrics,
  now,
  answerMs = policyBounds.hookMs,
}: Deps): PolicyHooks => {
  const bulkhead = createBulkhead({ maxInFlight: MAX_IN_FLIGHT, queueTimeoutMs: answerMs })
  const breakers = createBreakers({ now })
  const hookMetrics = createHookMetrics(metrics)

  const send = async (
    call: HookedCall,
    rule: AskedRule,
    hook: StoredHook,
    signal: AbortSignal,
  ): Promise<HookResult> => {
    const { organization_id: organizationId } = call
    const signers = await openSigners(vault, signedFor(organizationId, hook.id), hook)
    const { id, name } = rule
    const request = {
      id: `hook_${newUuid()}`,
      type: 'policy.hook',
      ...call,
      policy_rule: { id, name },
    } as const
    const exit = await bulkhead.enter(organizationId, signal)
    if (!exit) return { error: 'too many hooks of the organization have not answered', reach: 'unknown' }
    try {
      return await sendHook(egress.onBehalfOf(organizationId), { url: hook.url, signers, request, signal })
    } finally {
      exit()
    }
  }

  const ask = async (
    call: HookedCall,
    rule: AskedRule,
    hook: StoredHook | undefined,
    signal: AbortSignal,
  ): Promise<HookAnswer> => {
    if (!hook) return withoutDecision('deny', 'its rule has changed')
    const key = JSON.stringify([call.organization_id, new URL(hook.url).origin])
    const startedAt = performance.now()
    const result = await breakers.through(key, {
      call: () => send(call, rule, hook, signal),
      outcomeOf: given => ('error' in given ? given.reach : 'up'),
      rejected: (): HookResult => ({ error: 'it has failed several times in a row', reach: 'unknown' }),
    })
    hookMetrics.asked('answer' in result ? result.answer.decision : 'failed', performance.now() - startedAt)
    return 'answer' in result
      ? { effect: result.answer.decision, reason: result.answer.reason, isFallback: false }
      : withoutDecision(hook.onError, result.error)
  }

  return {
    ask: async (call, rules) => {
      const { signal, end } = startDeadline(answerMs)
      const ids = rules.map(({ id }) => id)
      const reading = policyHookStore.read(db, call.organization_id, ids)
      const asked = rules.map(async rule => {
        const hook = (await reading).find(({ id }) => id === rule.id)
        return [rule.id, await ask(call, rule, hook, signal)] as const
      })
      // If one of them throws, the others still have the deadline.
      void Promise.allSettled(asked).then(end)
      return new Map(await Promise.all(asked))
    },
    test: async (call, rule) => {
      const [hook] = await policyHookStore.read(db, call.organization_id, [rule.id])
      if (!hook) return null
      const { signal, end } = startDeadline(answerMs)
      return send(call, rule, hook, signal).finally(end)
    },
  }
}

const withoutDecision = (effect: HookAnswer['effect'], why: string): HookAnswer => ({
  effect,
  reason: `The hook of this rule gave no decision: ${why}.`,
  isFallback: true,
})
