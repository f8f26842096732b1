import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CheckRoutingCode } from '../../../core/organization-state.ts'
import { MCP_PATH, readPackHandle, resourceMetadataUrl } from '../../../core/pack-handle.ts'
import { isRefusal, Refusal } from '../../../core/refusal.ts'
import type { Api } from '../../../edge/api.ts'
import { allowAllOrigins } from '../../../edge/cross-origin.ts'
import { errorObject, toRefusal } from '../../../edge/errors.ts'
import { wantsHtml } from '../../../edge/page.ts'
import type { LastUses } from '../../../platform/last-uses.ts'
import { requireCaller } from '../admission/admit-call.ts'
import { callerStore } from '../admission/caller-store.ts'
import { answerWith } from '../mcp-protocol/answer.ts'
import { answerMcpError } from '../mcp-protocol/body-errors.ts'
import { readEnvelope, takesBatches } from '../mcp-protocol/envelope.ts'
import {
  isTooDeep,
  parseRpc,
  RPC,
  type RpcAnswer,
  type RpcError,
  type RpcNotification,
  type RpcRequest,
  rpcError,
  serializeAnswer,
} from '../mcp-protocol/json-rpc.ts'
import { createAnswerer, JSON_TYPE, type McpAnswerer } from '../mcp-protocol/response.ts'
import { errorResult } from '../results/tool-result.ts'
import {
  type Address,
  HandlePath,
  Path,
  Query,
  readAddress,
  readTokenAddress,
  requireOrigin,
  routingCodeOfKey,
  type SessionAddress,
} from './address.ts'
import { addressPage } from './address-page.ts'
import type { CallsInFlight } from './calls-in-flight.ts'
import { listenForChanges, TOOLS_CHANGED } from './listen-for-changes.ts'
import { type Asked, findMethod, type MethodDeps, serverInfo } from './methods.ts'
import { hashSession, type McpSession, readSession } from './session.ts'

const MAX_BATCH = 50
const NO_SESSION = 'Unknown session. Initialize a new one.'
const PATH = '/tool-packs/:pack/registered-users/:user/mcp'
const SIGNED_IN_PATH = `${MCP_PATH}/:handle`

type Deps = MethodDeps & {
  baseUrl: string
  callsInFlight: CallsInFlight
  checkRoutingCode: CheckRoutingCode
  keyUses: LastUses
}

/** One HTTP request, which may contain several messages. */
type Visit = {
  request: FastifyRequest
  reply: FastifyReply
  address: SessionAddress
  /** Undefined if the client names a session that is not its own. */
  session: McpSession | null | undefined
}

/** §4.6: the MCP URL. Requests are stateless, so any node can answer. */
export const mcpDoor = (api: Api, deps: Deps): void => {
  api.setErrorHandler(async (thrown, request, reply) => {
    return answerMcpError(deps)(await explainUnknownKey(deps, request, thrown), request, reply)
  })
  mountEndpoint(api, deps, PATH, Path, async request => {
    requireOrigin(request, deps.baseUrl)
    return readAddress(request)
  })
}

/**
 * The same endpoint for users who sign in with their client: the access token determines the user. The client may run in a browser. Unlike
 * a key, its token is for one user and one pack, and the user has allowed it.
 */
export const signedInMcpDoor = (api: Api, deps: Deps): void => {
  allowAllOrigins(api, [SIGNED_IN_PATH])
  api.setErrorHandler(async (thrown, request, reply) => {
    const error = await explainUnknownToken(deps, request, thrown)
    if (isRefusal(error, 'invalid_access_token')) {
      reply.header('www-authenticate', challengeOf(deps, request))
      if (request.method === 'GET' && wantsHtml(request)) return addressPage(reply, addressOf(deps, request))
    }
    return answerMcpError(deps)(error, request, reply)
  })
  mountEndpoint(api, deps, SIGNED_IN_PATH, HandlePath, request => readTokenAddress(deps.db, request))
}

type ReadAddress = (request: FastifyRequest) => Promise<Address>

const mountEndpoint = (
  api: Api,
  deps: Deps,
  path: string,
  params: typeof Path | typeof HandlePath,
  read: ReadAddress,
): void => {
  const options = {
    config: { undocumented: true, idempotency: false as const },
    schema: { params, querystring: Query },
  }
  api.post(path, options, async (request, reply) => {
    const visit = await enter(deps, request, reply, read)
    if (Array.isArray(request.body)) return answerBatch(deps, visit, request.body)
    const answerer = createAnswerer(request, reply)
    return answerer.finish(await answerMessage(deps, visit, request.body, answerer))
  })

  // 2025 revisions: the stream of server notifications, here only `tools/list_changed`.
  api.get(path, { ...options, exposeHeadRoute: false }, async (request, reply) => {
    const { address, session } = await enter(deps, request, reply, read)
    if (session === undefined) return reply.code(404).send(rpcError(null, RPC.serverError, NO_SESSION))
    const answerer = createAnswerer(request, reply)
    await listenForChanges(deps, address, answerer, {
      onOpen: () => {
        deps.keyUses.note(address.keyHash)
        answerer.begin()
      },
      onChange: () => answerer.notify(TOOLS_CHANGED, {}),
    })
    return answerer.finish(null)
  })
}

/**
 * A token may end between the reading of its user and the admission. Whatever the reason, the client has to sign in again. An unknown
 * handle may belong to another installation.
 */
const explainUnknownToken = async (
  { checkRoutingCode }: Deps,
  request: FastifyRequest,
  error: unknown,
): Promise<unknown> => {
  const isUnknown = [
    'invalid_api_key',
    'invalid_access_token',
    'registered_user_not_found',
    'tool_pack_not_found',
  ]
  if (!isRefusal(error) || !isUnknown.includes(error.code)) return error
  const pack = readPackHandle((request.params as { handle: string }).handle)
  if (!pack) return error
  return checkRoutingCode(pack.routingCode).then(
    () => new Refusal('invalid_access_token', { param: 'Authorization' }),
    (reason: unknown) => reason,
  )
}

const addressOf = ({ baseUrl }: Deps, { params }: FastifyRequest): string =>
  `${baseUrl}${MCP_PATH}/${(params as { handle: string }).handle}`

/** RFC 6750 §3 and RFC 9728 §5.1. Without a token, the challenge names no error. */
const challengeOf = ({ baseUrl }: Deps, request: FastifyRequest): string => {
  const { handle } = request.params as { handle: string }
  const error = request.headers.authorization === undefined ? '' : 'error="invalid_token", '
  return `Bearer ${error}resource_metadata="${resourceMetadataUrl(baseUrl, handle)}"`
}

/** An unknown key may belong to another installation. */
const explainUnknownKey = async (
  { checkRoutingCode }: Deps,
  request: FastifyRequest,
  error: unknown,
): Promise<unknown> => {
  if (!isRefusal(error, 'invalid_api_key')) return error
  return checkRoutingCode(routingCodeOfKey(request)).then(
    () => error,
    (reason: unknown) => reason,
  )
}

const enter = async (
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
  read: ReadAddress,
): Promise<Visit> => {
  const address = await read(request)
  const id = request.headers['mcp-session-id']
  const session = typeof id === 'string' ? (readSession(deps.signer, address, id) ?? undefined) : null
  const sessionHash = hashSession(session ?? null)
  return { request, reply, address: { ...address, sessionHash }, session }
}

/** 2025-03-26 only. The response is sent when every message of the batch is answered. */
const answerBatch = async (deps: Deps, visit: Visit, messages: unknown[]) => {
  const { request, reply } = visit
  const refused = !takesBatches(request.headers)
    ? 'This revision of the protocol has no batches.'
    : messages.length === 0 || messages.length > MAX_BATCH
      ? `A batch holds 1 to ${MAX_BATCH} messages.`
      : request.headers['idempotency-key'] !== undefined
        ? 'A batch may contain several calls. Give each one its Idempotency-Key in _meta.'
        : null
  if (refused) return reply.code(400).send(rpcError(null, RPC.invalidRequest, refused))
  const answerer = createAnswerer(request, reply, true)
  const answers = await Promise.all(messages.map(message => answerMessage(deps, visit, message, answerer)))
  const given = answers.filter(answer => answer !== null)
  return given.length > 0
    ? reply.type(JSON_TYPE).send(`[${given.map(serializeAnswer).join()}]`)
    : reply.code(202).send()
}

const answerMessage = async (
  deps: Deps,
  visit: Visit,
  message: unknown,
  answerer: McpAnswerer,
): Promise<RpcAnswer | null> => {
  if (isTooDeep(message)) return rpcError(null, RPC.invalidRequest, 'This message is nested too deeply.')
  const parsed = parseRpc(message)
  switch (parsed.kind) {
    case 'invalid':
      return rpcError(null, RPC.invalidRequest, 'This is not a JSON-RPC 2.0 request.')
    // The service sends no requests to clients, so a response matches nothing.
    case 'response':
      requireCaller(await callerStore.find(deps.db, visit.address))
      return null
    case 'notification':
      await takeNotification(deps, visit, parsed.notification)
      return null
    case 'request':
      return answerRequest(deps, visit, parsed.request, answerer)
  }
}

/** A session ID authenticates nothing, so a cancellation is authorized like a call. */
const takeNotification = async (
  deps: Deps,
  { session, address }: Visit,
  { method, params }: RpcNotification,
): Promise<void> => {
  requireCaller(await callerStore.find(deps.db, address))
  deps.keyUses.note(address.keyHash)
  const id = params?.requestId
  if (method !== 'notifications/cancelled' || !session) return
  if (typeof id === 'string' || typeof id === 'number') deps.callsInFlight.cancel(session.id, id)
}

const answerRequest = async (
  deps: Deps,
  { request: { headers }, reply, address, session }: Visit,
  request: RpcRequest,
  answerer: McpAnswerer,
): Promise<RpcAnswer> => {
  const reject = (status: number, { code, message, data }: RpcError): RpcAnswer => {
    reply.code(status)
    return rpcError(request.id, code, message, data)
  }
  const envelope = readEnvelope(headers, request, session ?? null)
  if ('error' in envelope) return reject(envelope.status, envelope.error)
  // "Session management": the client opens another one.
  if (session === undefined && !envelope.stateless && request.method !== 'initialize')
    return reject(404, { code: RPC.serverError, message: NO_SESSION })
  const method = findMethod(envelope, request.method)
  if (!method) {
    const message = `There is no method ${request.method.slice(0, 100)}.`
    return reject(envelope.stateless ? 404 : 200, { code: RPC.methodNotFound, message })
  }
  const cancelled = new AbortController()
  const cancel = () => cancelled.abort()
  // Disconnecting cancels a call in 2026-07-28 only; older revisions send a cancellation.
  if (envelope.stateless) answerer.disconnected.addEventListener('abort', cancel)
  const done = session ? deps.callsInFlight.begin(session.id, request.id, cancel) : () => undefined
  const nameSession = (id: string) => void reply.header('mcp-session-id', id)
  const asked = { address, envelope, request, answerer, signal: cancelled.signal, nameSession }
  try {
    const answer = await method(deps, asked)
    if (!('error' in answer)) deps.keyUses.note(address.keyHash)
    return answer
  } catch (error) {
    const answer = explain(deps, asked, error)
    // An invalid key was thrown as an error of the HTTP request.
    deps.keyUses.note(address.keyHash)
    return answer
  } finally {
    done()
  }
}

const explain = (deps: Deps, asked: Asked, error: unknown): RpcAnswer => {
  const { address, request, answerer } = asked
  const refusal = toRefusal(error)
  if (answersHttp(refusal) && !answerer.streaming()) throw refusal
  if (refusal.code === 'internal_error')
    deps.log.error({ error, request_id: address.requestId }, 'unexpected error')
  const body = { error: { ...errorObject(refusal, address.requestId, deps.baseUrl) } }
  if (refusal.code === 'invalid_cursor' || refusal.code === 'invalid_request_state')
    return rpcError(request.id, RPC.invalidParams, refusal.message, body.error)
  if (request.method === 'tools/call') return answerWith(serverInfo(deps), asked, errorResult(body))
  return rpcError(request.id, RPC.serverError, refusal.message, body.error)
}

/** An invalid key or URL is an error of the HTTP request, not of the JSON-RPC call in it. */
const answersHttp = ({ code }: Refusal): boolean =>
  [
    'invalid_api_key',
    'wrong_cell',
    'organization_moving',
    'organization_suspended',
    'registered_user_not_found',
    'tool_pack_not_found',
    'stream_required',
    'conflicting_idempotency_key',
    'unavailable',
  ].includes(code)
