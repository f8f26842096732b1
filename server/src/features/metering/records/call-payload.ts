import type { Queryable } from '../../../platform/database/database.ts'
import { unsealWithAnyKey } from '../../../platform/vault/previous-user-keys.ts'
import { type DataKey, type SealContext, seal } from '../../../platform/vault/sealing.ts'

/** The maximum number of bytes stored of a call's arguments, and of its result. */
export const MAX_STORED_BYTES = 64 * 1024

export type CallLocation = { organizationId: string; registeredUserId: string; callId: string }
/** Why a call failed, as its caller was told. `param`: the argument that caused it. */
export type CallFailure = { message: string; param: string | null }
/** `arguments` and `result`: JSON texts. Null: there was none, or it is not recorded. */
export type CallTexts = { arguments: string | null; result: string | null; failure: CallFailure | null }
export type StoredText = { text: string; cut: boolean }
export type CallPayload = {
  arguments: StoredText | null
  result: StoredText | null
  failure: CallFailure | null
}

/** Binds the payload to one call of one user. */
const contextOf = ({ organizationId, registeredUserId, callId }: CallLocation): SealContext => [
  'tool-call-payload',
  organizationId,
  registeredUserId,
  callId,
]

export const sealPayload = (userKey: DataKey, location: CallLocation, texts: CallTexts): Buffer => {
  const payload: CallPayload = {
    arguments: truncate(texts.arguments),
    result: truncate(texts.result),
    failure: texts.failure,
  }
  return seal(userKey, JSON.stringify(payload), contextOf(location))
}

export const unsealPayload = async (
  db: Queryable,
  userKey: DataKey,
  location: CallLocation,
  sealed: Buffer,
): Promise<CallPayload> => {
  const user = { organizationId: location.organizationId, userId: location.registeredUserId, userKey }
  const opened = await unsealWithAnyKey(db, user, sealed, contextOf(location))
  return JSON.parse(opened.toString('utf8')) as CallPayload
}

const encoder = new TextEncoder()

/** Truncates between characters, never inside one. */
const truncate = (text: string | null): StoredText | null => {
  if (text === null) return null
  if (text.length * 3 <= MAX_STORED_BYTES || Buffer.byteLength(text) <= MAX_STORED_BYTES)
    return { text, cut: false }
  const { read } = encoder.encodeInto(text, new Uint8Array(MAX_STORED_BYTES))
  return { text: text.slice(0, read), cut: true }
}
