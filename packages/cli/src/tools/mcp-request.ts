import { readEvents } from '@carabiner/contract/event-stream'
import { CarabinerError } from '../api/sdk.ts'

/** The newest revision in which a request needs neither a handshake nor further fields. */
const PROTOCOL_VERSION = '2025-06-18'
/** A tool call may take minutes at the provider. */
const TIMEOUT_MS = 330_000

export type McpEndpoint = { url: string; key: string; fetch: typeof globalThis.fetch }
type RpcMessage = {
  id?: unknown
  result?: unknown
  error?: { code: number; message: string; data?: unknown }
}

/** Sends one request to the MCP endpoint. Throws a `CarabinerError` for every failure. */
export const mcpRequest = async <T>(
  { url, key, fetch }: McpEndpoint,
  method: string,
  params: Record<string, unknown>,
): Promise<T> => {
  const response = await send(fetch, url, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': PROTOCOL_VERSION,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const message = await readMessage(response)
  if (message?.result !== undefined) return message.result as T
  throw toError(response, message)
}

const send = async (fetch: typeof globalThis.fetch, url: string, init: RequestInit): Promise<Response> => {
  try {
    return await fetch(url, init)
  } catch (error) {
    const message = 'The MCP endpoint cannot be reached.'
    throw new CarabinerError({
      status: 0,
      type: 'connection_error',
      code: 'network_error',
      message,
      cause: error,
    })
  }
}

/** The response is JSON, or a stream that ends with it. */
const readMessage = async (response: Response): Promise<RpcMessage | null> => {
  const type = response.headers.get('content-type') ?? ''
  try {
    if (!type.includes('text/event-stream') || !response.body) return (await response.json()) as RpcMessage
    for await (const { data } of readEvents(response.body)) {
      const message = data === '' ? null : (JSON.parse(data) as RpcMessage)
      if (message?.id === 1) return message
    }
    return null
  } catch {
    return null
  }
}

type ApiError = { code?: string | number; message?: string; request_id?: string; type?: string }

/** The service adds its own error object to the JSON-RPC error. */
const toError = (response: Response, message: RpcMessage | null): CarabinerError => {
  const body = message as { error?: ApiError & { data?: { error?: ApiError } & ApiError } } | null
  const rpc = body?.error
  const own = rpc?.data?.error ?? rpc?.data ?? rpc
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
  const requestId = own?.request_id ?? response.headers.get('x-request-id')
  return new CarabinerError({
    status: response.status,
    type: own?.type ?? 'internal_error',
    code: own?.code === undefined ? 'unexpected_response' : String(own.code),
    message: own?.message ?? rpc?.message ?? `The MCP endpoint responded with status ${response.status}.`,
    ...(requestId && { requestId }),
    ...(Number.isFinite(retryAfter) && { retryAfter }),
  })
}
