/** JSON-RPC 2.0, as far as MCP over HTTP uses it. */
export type RpcId = string | number
export type RpcRequest = { jsonrpc: '2.0'; id: RpcId; method: string; params?: Record<string, unknown> }
export type RpcAnswer =
  | { jsonrpc: '2.0'; id: RpcId; result: unknown }
  | { jsonrpc: '2.0'; id: RpcId | null; error: { code: number; message: string; data?: unknown } }

export const RPC = {
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  serverError: -32000,
} as const

export const rpcError = (id: RpcId | null, code: number, message: string, data?: unknown): RpcAnswer => ({
  jsonrpc: '2.0',
  id,
  error: { code, message, ...(data !== undefined && { data }) },
})

const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

export type RpcMessage =
  | { kind: 'request'; request: RpcRequest }
  | { kind: 'notification' }
  | { kind: 'invalid' }

/** Answers that a client sends to us count as notifications: we ask it nothing, so there is nothing to match. */
export const parseRpc = (message: unknown): RpcMessage => {
  if (!isObject(message) || message.jsonrpc !== '2.0') return { kind: 'invalid' }
  const hasId = typeof message.id === 'string' || typeof message.id === 'number'
  if (hasId && ('result' in message || 'error' in message)) return { kind: 'notification' }
  if (typeof message.method !== 'string' || (message.params !== undefined && !isObject(message.params)))
    return { kind: 'invalid' }
  if (!hasId) return 'id' in message ? { kind: 'invalid' } : { kind: 'notification' }
  return { kind: 'request', request: message as RpcRequest }
}
