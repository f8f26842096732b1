import { thirdPartyErrors } from '@carabiner/contract'
import { Refusal, reword } from '../../../core/refusal.ts'
import type { Gate } from '../../rules/gate.ts'
import type { CallProgress, ToolCall } from '../admission/admit-call.ts'

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
