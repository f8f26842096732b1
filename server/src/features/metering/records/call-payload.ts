import type { Queryable } from '../../../platform/database/database.ts'
import { unsealWithAnyKey } from '../../../platform/vault/earlier-user-keys.ts'
import { type DataKey, type SealContext, seal } from '../../../platform/vault/sealing.ts'

/** Bytes of arguments, and of a result, that are kept of a call. */
export const MOST_KEPT = 64 * 1024

export type CallPlace = { organizationId: string; registeredUserId: string; callId: string }
/** JSON texts; null where there was none. */
export type CallTexts = { arguments: string | null; result: string | null }
export type KeptText = { text: string; cut: boolean }
export type CallPayload = { arguments: KeptText | null; result: KeptText | null }

/** Opens only as what was said in this call of this user. */
const contextOf = ({ organizationId, registeredUserId, callId }: CallPlace): SealContext => [
  'tool-call-payload',
  organizationId,
  registeredUserId,
  callId,
]

export const sealPayload = (userKey: DataKey, place: CallPlace, texts: CallTexts): Buffer => {
  const payload: CallPayload = { arguments: cut(texts.arguments), result: cut(texts.result) }
  return seal(userKey, JSON.stringify(payload), contextOf(place))
}

export const openPayload = async (
  db: Queryable,
  userKey: DataKey,
  place: CallPlace,
  sealed: Buffer,
): Promise<CallPayload> => {
  const user = { organizationId: place.organizationId, userId: place.registeredUserId, userKey }
  const opened = await unsealWithAnyKey(db, user, sealed, contextOf(place))
  return JSON.parse(opened.toString('utf8')) as CallPayload
}

const encoder = new TextEncoder()

/** Between two characters, never inside one. */
const cut = (text: string | null): KeptText | null => {
  if (text === null) return null
  if (text.length * 3 <= MOST_KEPT || Buffer.byteLength(text) <= MOST_KEPT) return { text, cut: false }
  const { read } = encoder.encodeInto(text, new Uint8Array(MOST_KEPT))
  return { text: text.slice(0, read), cut: true }
}
