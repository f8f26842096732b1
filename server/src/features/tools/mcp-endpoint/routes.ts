import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CheckRoutingCode } from '../../../core/organization-state.ts'
import { MCP_PATH, readPackHandle, resourceMetadataUrl } from '../../../core/pack-handle.ts'
import { isRefusal, Refusal } from '../../../core/refusal.ts'
import type { Api } from '../../../edge/api.ts'
import { allowAllOrigins } from '../../../edge/cross-origin.ts'
import { errorObject, toRefusal } from '../../../edge/errors.ts'
import { wantsHtml } from '../../../edge/page.ts'
import { type AuthenticateKey, bearerToken, requireKeyGroup } from '../../../edge/principal.ts'
import type { LastUses } from '../../../platform/last-uses.ts'
import { callerStore } from '../admission/caller-store.ts'
import { sendMcpError } from '../mcp-protocol/body-errors.ts'
import { readEnvelope, takesBatches } from '../mcp-protocol/envelope.ts'
import {
  isTooDeep,
  parseRpc,
  RPC,
  type RpcError,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
  rpcError,
  serializeResponse,
} from '../mcp-protocol/json-rpc.ts'
import { createResponder, JSON_TYPE, type McpResponder } from '../mcp-protocol/response.ts'
import { resultResponse } from '../mcp-protocol/result-response.ts'
import { hashSession } from '../requested-calls/hash-session.ts'
import { errorResult } from '../results/tool-result.ts'
import { requireCaller } from '../steps/require-caller.ts'
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
import { type MethodContext, type MethodDeps, serverInfo } from './method.ts'
import { findMethod } from './methods.ts'
import { type McpSession, readSession } from './session.ts'

const MAX_BATCH = 50
const NO_SESSION = 'Unknown session. Initialize a new one.'
const PATH = '/tool-packs/:pack/registered-users/:user/mcp'
const SIGNED_IN_PATH = `${MCP_PATH}/:handle`

type Deps = MethodDeps & {
  baseUrl: string
  callsInFlight: CallsInFlight
  authenticateKey: AuthenticateKey
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
export const mcpRoutes = (api: Api, deps: Deps): void => {
  api.setErrorHandler(async (thrown, request, reply) => {
    return sendMcpError(deps)(await explainUnknownKey(deps, request, thrown), request, reply)
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
export const signedInMcpRoutes = (api: Api, deps: Deps): void => {
  allowAllOrigins(api, [SIGNED_IN_PATH])
  api.setErrorHandler(async (thrown, request, reply) => {
    const error = await explainUnknownToken(deps, request, thrown)
    if (isRefusal(error, 'invalid_access_token')) {
      reply.header('www-authenticate', challengeOf(deps, request))
      if (request.method === 'GET' && wantsHtml(request)) return addressPage(reply, addressOf(deps, request))
    }
    return sendMcpError(deps)(error, request, reply)
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
    config: { idempotency: false as const },
    schema: { params, querystring: Query },
  }
  api.post(path, options, async (request, reply) => {
    const visit = await enter(deps, request, reply, read)
    if (Array.isArray(request.body)) return answerBatch(deps, visit, request.body)
    const responder = createResponder(request, reply)
    return responder.finish(await answerMessage(deps, visit, request.body, responder))
  })

  // 2025 revisions: the stream of server notifications, here only `tools/list_changed`.
  api.get(path, { ...options, exposeHeadRoute: false }, async (request, reply) => {
    const { address, session } = await enter(deps, request, reply, read)
    if (session === undefined) return reply.code(404).send(rpcError(null, RPC.serverError, NO_SESSION))
    const responder = createResponder(request, reply)
    await listenForChanges(deps, address, responder, {
      onOpen: () => {
        deps.keyUses.note(address.keyHash)
        responder.begin()
      },
      onChange: () => responder.notify(TOOLS_CHANGED, {}),
    })
    return responder.finish(null)
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

/** A rejected key may have expired, lack the group `tools`, or belong to another installation. */
const explainUnknownKey = async (deps: Deps, request: FastifyRequest, error: unknown): Promise<unknown> => {
  if (!isRefusal(error, 'invalid_api_key')) return error
  try {
    const principal = await deps.authenticateKey(bearerToken(request))
    if (principal) requireKeyGroup(principal, 'tools')
    else await deps.checkRoutingCode(routingCodeOfKey(request))
    return error
  } catch (reason) {
    return reason
  }
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
  const sessionHash = hashSession(session?.id ?? null)
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
  const responder = createResponder(request, reply, true)
  const answers = await Promise.all(messages.map(message => answerMessage(deps, visit, message, responder)))
  const given = answers.filter(answer => answer !== null)
  return given.length > 0
    ? reply.type(JSON_TYPE).send(`[${given.map(serializeResponse).join()}]`)
    : reply.code(202).send()
}

const answerMessage = async (
  deps: Deps,
  visit: Visit,
  message: unknown,
  responder: McpResponder,
): Promise<RpcResponse | null> => {
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
      return answerRequest(deps, visit, parsed.request, responder)
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
  responder: McpResponder,
): Promise<RpcResponse> => {
  const reject = (status: number, { code, message, data }: RpcError): RpcResponse => {
    reply.code(status)
    return rpcError(request.id, code, message, data)
  }
  const envelope = readEnvelope(headers, request, session ?? null)
  if ('error' in envelope) return reject(envelope.status, envelope.error)
  // "Session management": the client opens another one.
  const { revision } = envelope
  if (session === undefined && revision.hasSessions && request.method !== 'initialize')
    return reject(404, { code: RPC.serverError, message: NO_SESSION })
  const method = findMethod(envelope, request.method)
  if (!method) {
    const message = `There is no method ${request.method.slice(0, 100)}.`
    return reject(revision.unknownMethodStatus, { code: RPC.methodNotFound, message })
  }
  const cancelled = new AbortController()
  const cancel = () => cancelled.abort()
  if (revision.cancelsOnDisconnect) responder.disconnected.addEventListener('abort', cancel)
  const done = session ? deps.callsInFlight.begin(session.id, request.id, cancel) : () => undefined
  const nameSession = (id: string) => void reply.header('mcp-session-id', id)
  const context = { address, envelope, request, responder, signal: cancelled.signal, nameSession }
  try {
    const answer = await method(deps, context)
    if (!('error' in answer)) deps.keyUses.note(address.keyHash)
    else if (answer.error.code === RPC.missingCapability) reply.code(400)
    return answer
  } catch (error) {
    const answer = explain(deps, context, error)
    // An invalid key was thrown as an error of the HTTP request.
    deps.keyUses.note(address.keyHash)
    return answer
  } finally {
    done()
  }
}

const explain = (deps: Deps, context: MethodContext, error: unknown): RpcResponse => {
  const { address, request, responder } = context
  const refusal = toRefusal(error)
  if (answersHttp(refusal) && !responder.streaming()) throw refusal
  if (refusal.code === 'internal_error')
    deps.log.error({ error, request_id: address.requestId }, 'unexpected error')
  const body = { error: { ...errorObject(refusal, address.requestId, deps.baseUrl) } }
  if (refusal.code === 'invalid_cursor' || refusal.code === 'invalid_request_state')
    return rpcError(request.id, RPC.invalidParams, refusal.message, body.error)
  if (request.method === 'tools/call') return resultResponse(serverInfo(deps), context, errorResult(body))
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
