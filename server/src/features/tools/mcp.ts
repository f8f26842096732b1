import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { Refusal } from '../../core/refusal.ts'
import { hashToken, parseToken } from '../../core/token.ts'
import { isUuid } from '../../core/uuid.ts'
import type { Api } from '../../edge/api.ts'
import { errorObject, toRefusal } from '../../edge/errors.ts'
import { bearerToken } from '../../edge/principal.ts'
import { admissionStore } from './admission-store.ts'
import { requireCaller } from './admit-call.ts'
import { type CallDeps, callTool } from './call-tool.ts'
import { parseRpc, RPC, type RpcAnswer, type RpcRequest, rpcError } from './json-rpc.ts'
import { listTools, pageTools } from './list-tools.ts'
import { errorResult } from './tool-result.ts'

export const PROTOCOL_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26']
const MAX_BATCH = 50

type Deps = CallDeps & { baseUrl: string; version: string }
type Address = {
  keyHash: Buffer
  registeredUserId: string
  toolPackId: string
  only: string[] | null
  authenticatedOnly: boolean
  requestId: string
}

const Path = Type.Object({ pack: Type.String(), user: Type.String() })
const Query = Type.Object({
  connectors: Type.Optional(Type.String({ maxLength: 2048 })),
  authenticated_only: Type.Optional(Type.Union([Type.Literal('true'), Type.Literal('false')])),
})

/** §4.6: the one address an agent calls. JSON in, JSON out; each request stands alone, so any node can answer it. */
export const mcpDoor = (api: Api, deps: Deps): void => {
  api.post(
    '/tool-packs/:pack/registered-users/:user/mcp',
    {
      config: { undocumented: true, idempotency: false },
      schema: { params: Path, querystring: Query },
    },
    async (request, reply) => {
      const address = addressOf(request)
      const version = request.headers['mcp-protocol-version']
      if (version !== undefined && !PROTOCOL_VERSIONS.includes(String(version))) {
        return reply.code(400).send(
          rpcError(null, RPC.invalidRequest, `Protocol version ${String(version)} is not supported.`, {
            supported: PROTOCOL_VERSIONS,
          }),
        )
      }
      const { body } = request
      if (!Array.isArray(body)) return answerOne(deps, address, body, reply)
      if (body.length === 0 || body.length > MAX_BATCH)
        return reply
          .code(400)
          .send(rpcError(null, RPC.invalidRequest, `A batch holds 1 to ${MAX_BATCH} messages.`))
      const answers = (await Promise.all(body.map(message => answer(deps, address, message)))).filter(
        one => one !== null,
      )
      return answers.length > 0 ? reply.send(answers) : reply.code(202).send()
    },
  )
}

const addressOf = (request: FastifyRequest): Address => {
  const key = bearerToken(request)
  const token = parseToken('productionKey', key) ?? parseToken('testKey', key) ?? parseToken('mcpKey', key)
  if (!token) throw new Refusal('invalid_api_key', { param: 'Authorization' })
  const { pack, user } = request.params as { pack: string; user: string }
  if (!isUuid(pack)) throw new Refusal('tool_pack_not_found')
  if (!isUuid(user)) throw new Refusal('registered_user_not_found')
  const query = request.query as { connectors?: string; authenticated_only?: string }
  return {
    keyHash: hashToken(token),
    registeredUserId: user,
    toolPackId: pack,
    only: query.connectors?.split(',').filter(Boolean) ?? null,
    authenticatedOnly: query.authenticated_only === 'true',
    requestId: request.id,
  }
}

const answerOne = async (deps: Deps, address: Address, message: unknown, reply: FastifyReply) => {
  const answered = await answer(deps, address, message)
  return answered === null ? reply.code(202).send() : reply.send(answered)
}

const answer = async (deps: Deps, address: Address, message: unknown): Promise<RpcAnswer | null> => {
  const parsed = parseRpc(message)
  if (parsed.kind === 'invalid')
    return rpcError(null, RPC.invalidRequest, 'This is not a JSON-RPC 2.0 request.')
  if (parsed.kind === 'notification') return null
  const { request } = parsed
  try {
    return await dispatch(deps, address, request)
  } catch (error) {
    const refusal = toRefusal(error)
    if (isAddressRefusal(refusal)) throw refusal
    if (refusal.code === 'internal_error')
      deps.log.error({ error, request_id: address.requestId }, 'unexpected error')
    const body = { error: { ...errorObject(refusal, address.requestId, deps.baseUrl) } }
    if (request.method === 'tools/call') return { jsonrpc: '2.0', id: request.id, result: errorResult(body) }
    return rpcError(request.id, RPC.serverError, refusal.message, body.error)
  }
}

/** The key or the address itself is wrong: that is an answer to the HTTP request, not to the call in it. */
const isAddressRefusal = ({ code }: Refusal): boolean =>
  code === 'invalid_api_key' ||
  code === 'registered_user_not_found' ||
  code === 'tool_pack_not_found' ||
  code === 'unavailable'

const dispatch = async (
  deps: Deps,
  address: Address,
  { id, method, params = {} }: RpcRequest,
): Promise<RpcAnswer> => {
  const result = (value: unknown): RpcAnswer => ({ jsonrpc: '2.0', id, result: value })
  switch (method) {
    case 'initialize':
      requireCaller(await admissionStore.caller(deps.db, address))
      return result(describeServer(deps, params.protocolVersion))
    case 'ping':
      return result({})
    case 'tools/list': {
      const caller = await admissionStore.listing(deps.db, address)
      requireCaller(caller)
      if (!caller.user_active) throw new Refusal('user_inactive')
      return result(pageTools(await listTools(deps, caller, address), params.cursor))
    }
    case 'tools/call': {
      const { name, arguments: args = {} } = params
      if (typeof name !== 'string' || args === null || typeof args !== 'object' || Array.isArray(args)) {
        return rpcError(id, RPC.invalidParams, 'tools/call takes a name and an object of arguments.')
      }
      return result(
        await callTool(deps, {
          ...address,
          name,
          args: args as Record<string, unknown>,
          signal: new AbortController().signal,
          onProgress: null,
          idempotencyKey: null,
        }),
      )
    }
    default:
      return rpcError(id, RPC.methodNotFound, `There is no method ${method}.`)
  }
}

const describeServer = ({ version }: Deps, wanted: unknown) => ({
  protocolVersion: PROTOCOL_VERSIONS.find(known => known === wanted) ?? PROTOCOL_VERSIONS[0],
  capabilities: { tools: {} },
  serverInfo: { name: 'carabiner', title: 'Carabiner', version },
  instructions:
    'If a tool answers with an authenticate_meta, hand its message to the user: they connect the account, and the same call then succeeds.',
})
