import { isObject, type JsonObject } from '../../../core/json/object.ts'

export type RpcError = { code: number; message: string; data: unknown }
export type RpcReply = { kind: 'result'; result: JsonObject } | { kind: 'error'; error: RpcError }

/** A message from the server, relative to one pending request. */
export type Incoming =
  | RpcReply
  | { kind: 'request'; id: string | number; method: string }
  /** A progress notification for the pending request. */
  | { kind: 'progress'; notification: JsonObject }
  | { kind: 'not_for_us' }

export const readMessage = (message: unknown, id: string): Incoming => {
  if (!isObject(message) || message.jsonrpc !== '2.0') return { kind: 'not_for_us' }
  if (typeof message.method === 'string') {
    const requestId = message.id
    if (requestId === undefined) return readNotification(message, id)
    return typeof requestId === 'string' || typeof requestId === 'number'
      ? { kind: 'request', id: requestId, method: message.method }
      : { kind: 'not_for_us' }
  }
  if (message.id !== id) return { kind: 'not_for_us' }
  if (isObject(message.result)) return { kind: 'result', result: message.result }
  return readError(message) ?? { kind: 'not_for_us' }
}

/** Other notifications, such as log messages and changed lists, are ignored. */
const readNotification = ({ method, params }: JsonObject, id: string): Incoming =>
  method === 'notifications/progress' && isObject(params) && params.progressToken === id
    ? { kind: 'progress', notification: params }
    : { kind: 'not_for_us' }

/** An error without an ID also counts, because a server that could not parse the request does not know its ID. */
export const readReply = (body: unknown, id: string): RpcReply | null => {
  // 2025-03-26 allows batched responses.
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
