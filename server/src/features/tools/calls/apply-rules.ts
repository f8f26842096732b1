import { thirdPartyErrors } from '@carabiner/contract'
import { Refusal, reword } from '../../../core/refusal.ts'
import type { IsolatedPool } from '../../../platform/isolation/isolated-pool.ts'
import type { Log } from '../../../platform/log.ts'
import { type Gate, openGate, type RecordedViolation } from '../../rules/gate.ts'
import type { RuleCache } from '../../rules/rule-cache.ts'
import type { ToolArguments } from '../../upstream/http/http-tool.ts'
import type { CallAdmission } from '../admission/admission-rows.ts'
import type { Admitted, CallProgress, ToolCall } from '../admission/admit-call.ts'
import { argumentsToSend } from '../admission/callable-tool.ts'
import type { ArgumentCheck } from './argument-check.ts'

export type GateForDeps = { ruleCache: RuleCache; isolated: IsolatedPool; log: Log }

/** The rules as of the admission of the call. */
export const gateFor = async (
  { ruleCache, isolated, log }: GateForDeps,
  admission: CallAdmission,
  requestId: string,
  violations: RecordedViolation[],
): Promise<Gate> => {
  const owner = { organizationId: admission.organizationId, toolPackId: admission.packId }
  const onFault = (error: unknown) =>
    log.error({ request_id: requestId, error }, 'the security rules could not be applied')
  const rules = await ruleCache.rulesFor(owner, admission.rulesHash)
  return openGate(rules, { isolated, organizationId: owner.organizationId, onFault, violations })
}

/** Checks the arguments against the input schema, then by the security rules. Returns the arguments to send. */
export const readArguments = async (
  { checkArguments }: { checkArguments: ArgumentCheck },
  { admission, callable }: Pick<Admitted, 'admission' | 'callable'>,
  args: ToolArguments,
  gate: Gate,
): Promise<ToolArguments> => {
  const check = (given: ToolArguments) => checkArguments(admission.organizationId, callable, given)
  await check(args)
  return argumentsToSend(callable, await inspectArguments(gate, check, args))
}

/** A placeholder may not match the input schema (a number, an enum). Such arguments are not sent. */
const inspectArguments = async (
  gate: Gate,
  check: (args: ToolArguments) => Promise<void>,
  args: ToolArguments,
): Promise<ToolArguments> => {
  const passed = (await gate.passAny('inbound', args)) as ToolArguments
  if (passed === args) return args
  try {
    await check(passed)
  } catch (error) {
    throw new Refusal('security_rule_blocked', {
      message:
        'A security rule fired: part of the arguments has to be redacted, and the tool does not accept the redacted value. The call was not made. Leave the value out and call again.',
      retryable: false,
      cause: error,
    })
  }
  return passed
}

/** Applies the result rules to progress messages. Messages that may not pass are dropped. */
export const inspectProgress = (gate: Gate, tell: ToolCall['onProgress']): ToolCall['onProgress'] =>
  tell &&
  (progress => {
    const passed = progressThrough(gate, progress)
    if (passed) tell(passed)
  })

/** Characters. Longer messages are not forwarded: progress is reported in words, not in pages. */
const MAX_PROGRESS_MESSAGE = 10_000

const progressThrough = (gate: Gate, { progress, total, message }: CallProgress): CallProgress | null => {
  if (message !== undefined && message.length > MAX_PROGRESS_MESSAGE) return null
  try {
    const passed = gate.pass('outbound', [progress, total, message])
    const [reached, ofAll, words] = passed as [unknown, unknown, string?]
    if (typeof reached !== 'number') return null
    return {
      progress: reached,
      ...(typeof ofAll === 'number' && { total: ofAll }),
      ...(words !== undefined && { message: words }),
    }
  } catch {
    return null
  }
}

const QUOTES_PROVIDER: ReadonlySet<string> = new Set([...thirdPartyErrors, 'third_party_unavailable'])

/** Applies the result rules to an error message that quotes the provider. */
export const inspectFailure =
  (gate: Gate) =>
  (error: unknown): never => {
    if (!(error instanceof Refusal) || !QUOTES_PROVIDER.has(error.code)) throw error
    const message = gate.pass('outbound', error.message) as string
    throw message === error.message ? error : reword(error, message)
  }
