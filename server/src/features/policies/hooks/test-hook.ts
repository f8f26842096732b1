import { randomBytes } from 'node:crypto'
import type { PolicyHookTested } from '@carabiner/contract'
import type { Mode } from '../../../core/mode.ts'
import { Refusal } from '../../../core/refusal.ts'
import { newUuid } from '../../../core/uuid.ts'
import type { HookedCall, PolicyHooks } from './policy-hooks.ts'

/** Asks the hook of a rule about a call that does not exist. */
export const testHook = async (
  hooks: PolicyHooks,
  { organizationId, mode }: { organizationId: string; mode: Mode },
  rule: { id: string; name: string },
): Promise<PolicyHookTested> => {
  const startedAt = performance.now()
  const result = await hooks.test(exampleCall(organizationId, mode), rule)
  if (!result) throw new Refusal('policy_rule_without_hook')
  const durationMs = Math.round(performance.now() - startedAt)
  return 'answer' in result
    ? { ...result.answer, error: null, duration_ms: durationMs }
    : {
        decision: null,
        reason: null,
        error: `The hook gave no decision: ${result.error}.`,
        duration_ms: durationMs,
      }
}

const exampleCall = (organizationId: string, mode: Mode): HookedCall => ({
  stage: 'test',
  organization_id: organizationId,
  mode,
  registered_user: { id: newUuid(), origin_user_id: '42' },
  tool_pack_id: newUuid(),
  connector: 'sandbox-notes',
  tool: 'create_note',
  account_label: 'Work',
  arguments: { text: 'Hello' },
  call_digest: randomBytes(32).toString('hex'),
})
