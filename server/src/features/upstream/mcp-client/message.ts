import { isObject, type JsonObject } from '../json.ts'

export type RpcError = { code: number; message: string; data: unknown }
export type RpcReply = { kind: 'result'; result: JsonObject } | { kind: 'error'; error: RpcError }

/** A message from the server, seen from the one request that waits for it. */
export type Incoming =
  | RpcReply
  | { kind: 'request'; id: string | number; method: string }
  /** What the server says of how far it is; the token is the request's id. */
  | { kind: 'progress'; told: JsonObject }
  | { kind: 'not_for_us' }

export const readMessage = (message: unknown, id: string): Incoming => {
  if (!isObject(message) || message.jsonrpc !== '2.0') return { kind: 'not_for_us' }
  if (typeof message.method === 'string') {
    const asked = message.id
    if (asked === undefined) return readNotification(message, id)
    return typeof asked === 'string' || typeof asked === 'number'
      ? { kind: 'request', id: asked, method: message.method }
      : { kind: 'not_for_us' }
  }
  if (message.id !== id) return { kind: 'not_for_us' }
  if (isObject(message.result)) return { kind: 'result', result: message.result }
  return readError(message) ?? { kind: 'not_for_us' }
}

/** Log messages, changed lists and whatever else a server tells unasked are not for the one who waits for an answer. */
const readNotification = ({ method, params }: JsonObject, id: string): Incoming =>
  method === 'notifications/progress' && isObject(params) && params.progressToken === id
    ? { kind: 'progress', told: params }
    : { kind: 'not_for_us' }

/** An error without an id answers too: a server that could not read the request does not know its id. */
export const readReply = (body: unknown, id: string): RpcReply | null => {
  // 2025-03-26 lets a server answer in a batch.
  for (const message of Array.isArray(body) ? body : [body]) {
    const incoming = readMessage(message, id)
    if (incoming.kind === 'result' || incoming.kind === 'error') return incoming
  }
  return isObject(body) && (body.id === null || body.id === undefined) ? readError(body) : null
}

const readError = ({ error }: JsonObject): RpcReply | null =>
  isObject(error) && typeof error.code === 'number'
    ? {
        kind: 'error',
        error: {
          code: error.code,
          message: typeof error.message === 'string' ? error.message : '',
          data: error.data,
        },
      }
    : null
