import { compileRules, scanText } from '@carabiner/detection'
import type { Log } from '../../../platform/log.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import {
  type CallFailure,
  type CallLocation,
  type CallTexts,
  sealPayload,
} from '../../metering/records/call-payload.ts'
import { callerHeaders, type RequestHeaders } from '../../metering/records/caller-headers.ts'
import type { Admitted } from '../admission/admit-call.ts'
import type { CallFacts } from '../admission/settlement-store.ts'
import { serializeResult, type ToolResult } from '../results/tool-result.ts'

type Deps = { vault: Vault; log: Log }

/** Collects the data of a call's record while the call is performed. */
export type CallRecorder = {
  /** The arguments after the security rules; unchecked arguments are never recorded. */
  sent(args: unknown): void
  /** Returns the size of the result in bytes. */
  answered(result: ToolResult): number
  failed(failure: CallFailure): void
  /** The part of the result that the pack's view selects. Returns its size in bytes. */
  viewed(result: ToolResult): number
  resultBytes(): number | null
  viewBytes(): number | null
  /** Milliseconds since the start of the call. */
  total(): number
  texts(): CallTexts
}

/** Characters. */
const MAX_MESSAGE = 2000

export const startRecorder = (now: () => number = () => performance.now()): CallRecorder => {
  const startedAt = now()
  const texts: CallTexts = { arguments: null, result: null, failure: null }
  let resultBytes: number | null = null
  let viewBytes: number | null = null
  return {
    sent: args => {
      texts.arguments = JSON.stringify(args)
    },
    answered: result => {
      texts.result = serializeResult(result)
      resultBytes = Buffer.byteLength(texts.result)
      return resultBytes
    },
    failed: ({ message, param }) => {
      texts.failure = { message: message.slice(0, MAX_MESSAGE), param }
    },
    viewed: result => {
      viewBytes = Buffer.byteLength(serializeResult(result))
      return viewBytes
    },
    resultBytes: () => resultBytes,
    viewBytes: () => viewBytes,
    total: () => now() - startedAt,
    texts: () => texts,
  }
}

const SECRETS = compileRules({
  entities: { API_KEY: {}, CARABINER_TOKEN: {}, JWT: {}, PRIVATE_KEY: {} },
})
const isSecret = (text: string): boolean => scanText(text, SECRETS).length > 0

export const headersToRecord = (headers: RequestHeaders = {}): CallFacts['headers'] =>
  callerHeaders(headers, isSecret)

/**
 * The record besides the outcome. Arguments and result are sealed if the organization records them, otherwise dropped. Why a call has failed
 * is always recorded.
 */
export const factsOf = async (
  deps: Deps,
  { admission, reserved }: Admitted,
  { headers }: { headers?: RequestHeaders },
  notes: CallRecorder,
  { rulesMs, thirdPartyMs }: { rulesMs: number; thirdPartyMs: number | null },
): Promise<CallFacts> => {
  const texts = notes.texts()
  const place = {
    organizationId: admission.organizationId,
    registeredUserId: admission.userId,
    callId: reserved.callId,
  }
  return {
    headers: headersToRecord(headers),
    argumentsBytes: bytesOf(texts.arguments),
    resultBytes: notes.resultBytes(),
    viewBytes: notes.viewBytes(),
    payload: await sealTexts(
      deps,
      place,
      admission.userKey,
      admission.captures ? texts : { arguments: null, result: null, failure: texts.failure },
    ),
    rulesMs: hundredths(rulesMs),
    gatewayMs: hundredths(Math.max(0, notes.total() - rulesMs - (thirdPartyMs ?? 0))),
  }
}

/** A key that cannot be used must not lose the record of a call that was made: the error is logged and the payload is left out. */
const sealTexts = async (
  { vault, log }: Deps,
  place: CallLocation,
  wrapped: Buffer,
  texts: CallTexts,
): Promise<Buffer | null> => {
  if (texts.arguments === null && texts.result === null && texts.failure === null) return null
  try {
    const userKey = await vault.openUserKey(place.organizationId, place.registeredUserId, wrapped)
    return sealPayload(userKey, place, texts)
  } catch (error) {
    log.error({ error, tool_call_id: place.callId }, 'the payload of a tool call could not be sealed')
    return null
  }
}

const bytesOf = (text: string | null): number | null => (text === null ? null : Buffer.byteLength(text))
const hundredths = (milliseconds: number): number => Math.round(milliseconds * 100) / 100
