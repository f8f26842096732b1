import { CarabinerError, type Client, mcpUrl } from '@carabiner/sdk'
import { fetchResponse } from '../../api/fetch-response.ts'

/** One request to the MCP endpoint and its response, as they were sent. */
export type Frame = { request: unknown; response: unknown; status: number; milliseconds: number }
export type RpcResponse = { result?: Record<string, unknown>; error?: { code: number; message: string } }

export type McpCaller = {
  url: string
  call: (
    method: string,
    params: object,
    signal?: AbortSignal,
  ) => Promise<{ response: RpcResponse; frame: Frame }>
  /** Revokes the key. */
  close: () => void
}

const KEY_LIFETIME_MS = 15 * 60_000
const PROTOCOL = '2025-11-25'

type Options = { api: Client; packId: string; userId: string; keyName: string }

/**
 * Calls the real MCP endpoint with a key of the user, created for the first request. It expires after 15 minutes if the page is
 * closed without revoking it; a new one is created then.
 */
export const createMcpCaller = ({ api, packId, userId, keyName }: Options): McpCaller => {
  const url = mcpUrl({ baseUrl: window.location.origin, toolPackId: packId, registeredUserId: userId })
  let key: Promise<{ id: string; key: string; expires_at: string }> | null = null
  let count = 0
  const createKey = () =>
    api.registeredUsers.mcpKeys.create(userId, {
      name: keyName,
      tool_pack_ids: [packId],
      expires_at: new Date(Date.now() + KEY_LIFETIME_MS).toISOString(),
    })
  const currentKey = async () => {
    key ??= createKey()
    const current = await key.catch((error: unknown) => {
      key = null
      throw error
    })
    if (Date.parse(current.expires_at) > Date.now() + 5_000) return current
    key = createKey()
    return key
  }
  return {
    url,
    call: async (method, params, signal) => {
      const { key: token } = await currentKey()
      const request = { jsonrpc: '2.0', id: ++count, method, params }
      const began = performance.now()
      const response = await send(url, token, request, signal)
      const body = await readResponse(response)
      const milliseconds = Math.round(performance.now() - began)
      if (!isRpcResponse(body)) throw unexpected(response, body)
      return { response: body, frame: { request, response: body, status: response.status, milliseconds } }
    },
    close: () => {
      const created = key
      key = null
      void created?.then(({ id }) => api.registeredUsers.mcpKeys.revoke(userId, id)).catch(() => undefined)
    },
  }
}

const send = (url: string, token: string, request: object, signal?: AbortSignal): Promise<Response> =>
  fetchResponse(
    url,
    {
      method: 'POST',
      credentials: 'omit',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': PROTOCOL,
      },
      body: JSON.stringify(request),
    },
    signal,
  )

/** A response is JSON, or the last message of a stream. */
const readResponse = async (response: Response): Promise<unknown> => {
  const text = await response.text()
  const last = response.headers.get('content-type')?.includes('event-stream')
    ? text
        .split('\n')
        .findLast(line => line.startsWith('data:'))
        ?.slice(5)
    : text
  try {
    return JSON.parse(last ?? '') as unknown
  } catch {
    return undefined
  }
}

const isRpcResponse = (body: unknown): body is RpcResponse =>
  typeof body === 'object' && body !== null && 'jsonrpc' in body && ('result' in body || 'error' in body)

const unexpected = ({ status, headers }: Response, body: unknown): CarabinerError => {
  const error = (body as { error?: { code?: unknown; message?: string; request_id?: string } } | undefined)
    ?.error
  return new CarabinerError({
    status,
    code: typeof error?.code === 'string' ? error.code : 'unexpected_response',
    type: 'internal_error',
    message: error?.message ?? `The MCP endpoint responded with status ${status}.`,
    requestId: error?.request_id ?? headers.get('x-request-id') ?? undefined,
  })
}
