import { isObject } from '../../../core/json/object.ts'
/** The part of JSON-RPC 2.0 that MCP over HTTP uses. */
export type RpcId = string | number
export type RpcParams = Record<string, unknown>
export type RpcRequest = { jsonrpc: '2.0'; id: RpcId; method: string; params?: RpcParams }
export type RpcNotification = { jsonrpc: '2.0'; method: string; params?: RpcParams }
export type RpcError = { code: number; message: string; data?: unknown }
export type RpcResponse =
  | { jsonrpc: '2.0'; id: RpcId; result: unknown }
  /** The result of a tool, which is already serialized. */
  | { jsonrpc: '2.0'; id: RpcId; resultJson: string }
  | { jsonrpc: '2.0'; id: RpcId | null; error: RpcError }

export const RPC = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  serverError: -32000,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedRevision: -32022,
  urlElicitationRequired: -32042,
} as const

export const rpcResult = (id: RpcId, result: unknown): RpcResponse => ({ jsonrpc: '2.0', id, result })

export const serializeResponse = (answer: RpcResponse): string =>
  'resultJson' in answer
    ? `{"jsonrpc":"2.0","id":${JSON.stringify(answer.id)},"result":${answer.resultJson}}`
    : JSON.stringify(answer)

export const rpcError = (id: RpcId | null, code: number, message: string, data?: unknown): RpcResponse => ({
  jsonrpc: '2.0',
  id,
  error: { code, message, ...(data !== undefined && { data }) },
})

export type RpcMessage =
  | { kind: 'request'; request: RpcRequest }
  | { kind: 'notification'; notification: RpcNotification }
  /** The service sends no requests, so a response matches nothing. */
  | { kind: 'response' }
  | { kind: 'invalid' }

export const parseRpc = (message: unknown): RpcMessage => {
  if (!isObject(message) || message.jsonrpc !== '2.0') return { kind: 'invalid' }
  // `1e400` parses as Infinity, which cannot be serialized.
  const hasId = typeof message.id === 'string' || Number.isFinite(message.id)
  if (hasId && ('result' in message || 'error' in message)) return { kind: 'response' }
  if (typeof message.method !== 'string' || (message.params !== undefined && !isObject(message.params)))
    return { kind: 'invalid' }
  if (hasId) return { kind: 'request', request: message as RpcRequest }
  return 'id' in message
    ? { kind: 'invalid' }
    : { kind: 'notification', notification: message as RpcNotification }
}

/** Deeper than any tool's arguments, and far below the limit of recursion. */
const MAX_DEPTH = 256

export const isTooDeep = (value: unknown, depth = 0): boolean =>
  value !== null &&
  typeof value === 'object' &&
  (depth > MAX_DEPTH || Object.values(value).some(inner => isTooDeep(inner, depth + 1)))

export const metaOf = ({ params }: RpcRequest): Record<string, unknown> => {
  const { _meta: meta } = params ?? {}
  return isObject(meta) ? meta : {}
}
