import { isObject } from '../../../core/json.ts'
import { Refusal } from '../../../core/refusal.ts'
import { userTopic, type WakeUps } from '../../../platform/jobs/wake-ups.ts'
import type { Tracing } from '../../../platform/tracing/tracing.ts'
import type { Signer } from '../../../platform/vault/vault.ts'
import { META, SERVER_INFO_META } from '../../upstream/mcp-client/revision.ts'
import { requireCaller, type ToolCall } from '../admission/admit-call.ts'
import { callerStore, type FoundCaller } from '../admission/caller-store.ts'
import type { CallDeps } from '../calls/call-tool.ts'
import { fetchResult } from '../calls/fetch-result.ts'
import { explainAccess } from '../explain/explain-access.ts'
import { EXPLAIN_ACCESS } from '../listing/explain-access-tool.ts'
import { FETCH_RESULT } from '../listing/fetch-result-tool.ts'
import { listTools, pageTools } from '../listing/list-tools.ts'
import { listingStore } from '../listing/listing-store.ts'
import { CALL_TOOL, SEARCH_TOOLS } from '../listing/search-tools-tool.ts'
import { servedTools } from '../listing/served-tools.ts'
import { answerWith, CACHING, chooseRevision, type ServerInfo } from '../mcp-protocol/answer.ts'
import { type Envelope, opensUrls, PROTOCOL_VERSIONS } from '../mcp-protocol/envelope.ts'
import {
  metaOf,
  RPC,
  type RpcAnswer,
  type RpcRequest,
  rpcError,
  rpcResult,
} from '../mcp-protocol/json-rpc.ts'
import type { McpAnswerer } from '../mcp-protocol/response.ts'
import { serializeResult, type ToolResult } from '../results/tool-result.ts'
import { searchTools } from '../search/search-tools.ts'
import type { SessionAddress } from './address.ts'
import { type AuthRequestOptions, callOrRequestAuth, type Outcome, QUESTION } from './call-or-request-auth.ts'
import { listenForChanges, TOOLS_CHANGED } from './listen-for-changes.ts'
import type { OpenStreams } from './open-streams.ts'
import { readNamedCall } from './read-named-call.ts'
import { reportWhileAdmitted } from './report-progress.ts'
import { openSession } from './session.ts'
import { callerTrace, startCallSpan, traceOutcome } from './trace-request.ts'

export type MethodDeps = CallDeps & {
  signer: Signer
  openStreams: OpenStreams
  wakeUps: WakeUps
  version: string
  /** Null if tracing is off. */
  tracing: Tracing | null
}

/** One request with its envelope and the means to send notifications before its response. */
export type Asked = {
  address: SessionAddress
  envelope: Envelope
  request: RpcRequest
  answerer: McpAnswerer
  /** Aborted when the caller cancels. */
  signal: AbortSignal
  /** Sets the session header in the response to the handshake. */
  nameSession: (id: string) => void
}

type Method = (deps: MethodDeps, asked: Asked) => Promise<RpcAnswer>

const INSTRUCTIONS =
  'If a tool answers with an authenticate_meta, hand its message to the user: they connect the account, and the same call then succeeds.'
const SEARCH_INSTRUCTIONS = {
  list: '',
  search:
    ' More tools than those listed are available: find them with search_tools, and call them with call_tool.',
  reveal:
    ' More tools than those listed are available: search_tools finds them and adds them to the list of tools.',
}

const instructionsFor = ({ packServing }: FoundCaller): string =>
  INSTRUCTIONS + SEARCH_INSTRUCTIONS[packServing]

export const serverInfo = ({ version }: MethodDeps): ServerInfo => ({
  name: 'carabiner',
  title: 'Carabiner',
  version,
})
const CAPABILITIES = { tools: { listChanged: true } }

/** `answerWith` for the result of a tool, which is serialized only once. */
const answerWithToolResult = (
  deps: MethodDeps,
  { envelope, request }: Asked,
  result: ToolResult,
): RpcAnswer => {
  const json = serializeResult(result)
  const meta = JSON.stringify({ [SERVER_INFO_META]: serverInfo(deps) })
  return {
    jsonrpc: '2.0',
    id: request.id,
    resultJson: envelope.stateless ? `{"resultType":"complete",${json.slice(1, -1)},"_meta":${meta}}` : json,
  }
}

const initialize: Method = async (deps, asked) => {
  const { address, request, nameSession } = asked
  const caller = await callerStore.find(deps.db, address)
  requireCaller(caller)
  const { protocolVersion, capabilities } = request.params ?? {}
  const revision = chooseRevision(protocolVersion)
  const session = openSession(deps.signer, address, { revision, opensUrls: opensUrls(capabilities) })
  nameSession(session.id)
  return answerWith(serverInfo(deps), asked, {
    protocolVersion: revision,
    capabilities: CAPABILITIES,
    serverInfo: serverInfo(deps),
    instructions: instructionsFor(caller),
  })
}

const ping: Method = async (deps, { address, request }) => {
  requireCaller(await callerStore.find(deps.db, address))
  return rpcResult(request.id, {})
}

const discover: Method = async (deps, asked) => {
  const caller = await callerStore.find(deps.db, asked.address)
  requireCaller(caller)
  return answerWith(serverInfo(deps), asked, {
    supportedVersions: PROTOCOL_VERSIONS,
    capabilities: CAPABILITIES,
    instructions: instructionsFor(caller),
    ...CACHING,
  })
}

const list: Method = async (deps, asked) => {
  const { address, envelope, request } = asked
  const caller = requireCaller(await listingStore.listing(deps.db, address))
  if (!caller.userActive) throw new Refusal('user_inactive')
  const tools = servedTools(caller, await listTools(deps, caller, address), caller.revealedTools ?? [])
  return answerWith(serverInfo(deps), asked, {
    ...pageTools(tools, request.params?.cursor),
    ...(envelope.stateless && CACHING),
  })
}

const call: Method = async (deps, asked) => {
  const { request } = asked
  const { name, arguments: args = {}, requestState, inputResponses } = request.params ?? {}
  if (typeof name !== 'string' || !isObject(args))
    return rpcError(request.id, RPC.invalidParams, 'tools/call takes a name and an object of arguments.')
  if (
    inputResponses !== undefined &&
    !(isObject(inputResponses) && Object.values(inputResponses).every(isObject))
  )
    return rpcError(request.id, RPC.invalidParams, 'inputResponses is an object of answers.')
  const { address, signal, answerer } = asked
  const idempotencyKey = idempotencyKeyOf(asked)
  const trace = callerTrace(asked)
  if (name === FETCH_RESULT)
    return answerWith(serverInfo(deps), asked, await fetchResult(deps, { ...address, args, trace }))
  if (name === EXPLAIN_ACCESS)
    return answerWith(serverInfo(deps), asked, await explainAccess(deps, { ...address, args, trace }))
  if (name === SEARCH_TOOLS) return search(deps, asked, args)
  const span = deps.tracing && startCallSpan(deps.tracing, asked, trace)
  const options: AuthRequestOptions = {
    waitSeconds: address.waitSeconds,
    elicitation: elicitationOf(asked),
    requestState,
    inputResponses,
    // The stream starts with the wait, even if no progress was requested, so that the call does not look hung.
    onWait: answerer.begin,
    disconnected: answerer.disconnected,
  }
  const toolCall: ToolCall = {
    ...address,
    ...(name === CALL_TOOL ? readNamedCall(args) : { name, args }),
    signal,
    onProgress: progressOf(deps, asked),
    onRate: headers => {
      for (const [header, value] of Object.entries(headers)) answerer.header(header, value)
    },
    idempotencyKey,
    trace,
    span,
  }
  const outcome = callOrRequestAuth(deps, toolCall, options)
  return describe(deps, asked, await (span ? traceOutcome(span, outcome) : outcome))
}

/** Older revisions may send the notification with the response, which reaches clients without a stream for notifications. */
const search = async (deps: MethodDeps, asked: Asked, args: Record<string, unknown>): Promise<RpcAnswer> => {
  const { address, answerer, envelope } = asked
  const { result, changedList } = await searchTools(deps, { ...address, args, trace: callerTrace(asked) })
  if (changedList) {
    deps.wakeUps.wake(userTopic(address.registeredUserId))
    if (!envelope.stateless) answerer.notify(TOOLS_CHANGED, {})
  }
  return answerWith(serverInfo(deps), asked, result)
}

const elicitationOf = ({ address, envelope }: Asked): AuthRequestOptions['elicitation'] => {
  if (!address.elicitation || !envelope.opensUrls) return null
  if (envelope.stateless) return 'input_required'
  return envelope.revision === '2025-11-25' ? 'error' : null
}

/** Null if the client did not request progress or cannot receive it. */
const progressOf = (deps: MethodDeps, { address, request, answerer }: Asked): ToolCall['onProgress'] => {
  const { progressToken } = metaOf(request)
  if (!answerer.canStream || (typeof progressToken !== 'string' && typeof progressToken !== 'number'))
    return null
  const mayHear = async () => {
    const { userActive, packId } = await callerStore.find(deps.db, address)
    return userActive && packId !== null
  }
  return reportWhileAdmitted(mayHear, progress =>
    answerer.notify('notifications/progress', { progressToken, ...progress }),
  )
}

/** The header and the field of `_meta` mean the same. */
const idempotencyKeyOf = ({ address, request }: Asked): string | null => {
  const { 'Idempotency-Key': key = null } = metaOf(request)
  if (key !== null && typeof key !== 'string')
    throw new Refusal('invalid_idempotency_key', { param: 'Idempotency-Key' })
  const header = address.headers?.['idempotency-key']
  if (header === undefined) return key
  if (key !== null && key !== header)
    throw new Refusal('conflicting_idempotency_key', { param: 'Idempotency-Key' })
  return String(header)
}

const describe = (deps: MethodDeps, asked: Asked, outcome: Outcome): RpcAnswer => {
  const { id } = asked.request
  switch (outcome.kind) {
    case 'result':
      return answerWithToolResult(deps, asked, outcome.result)
    case 'input_required': {
      const { meta, requestState } = outcome
      const params = { mode: 'url', url: meta.magic_link_url, message: meta.message }
      return answerWith(serverInfo(deps), asked, {
        resultType: 'input_required',
        inputRequests: { [QUESTION]: { method: 'elicitation/create', params } },
        requestState,
      })
    }
    case 'url_required': {
      const { meta } = outcome
      const elicitation = {
        mode: 'url',
        elicitationId: meta.link_token.slice(-12),
        url: meta.magic_link_url,
        message: meta.message,
      }
      return rpcError(id, RPC.urlElicitationRequired, meta.message, { elicitations: [elicitation] })
    }
  }
}

const SUBSCRIPTION = `${META}subscriptionId`

/** 2026-07-28, "Subscriptions". */
const listen: Method = async (deps, asked) => {
  const { address, request, answerer } = asked
  const wanted = isObject(request.params?.notifications) ? request.params.notifications : {}
  const filter = wanted.toolsListChanged === true ? { toolsListChanged: true } : {}
  const meta = { [SUBSCRIPTION]: request.id }
  await listenForChanges(deps, address, answerer, {
    onOpen: () =>
      answerer.notify('notifications/subscriptions/acknowledged', { _meta: meta, notifications: filter }),
    onChange: () => {
      if (filter.toolsListChanged) answerer.notify(TOOLS_CHANGED, { _meta: meta })
    },
  })
  return answerWith(serverInfo(deps), asked, {}, meta)
}

const HANDSHAKE_METHODS: Record<string, Method> = {
  initialize,
  ping,
  'tools/list': list,
  'tools/call': call,
}

const STATELESS_METHODS: Record<string, Method> = {
  'server/discover': discover,
  'subscriptions/listen': listen,
  'tools/list': list,
  'tools/call': call,
}

export const findMethod = ({ stateless }: Envelope, name: string): Method | undefined => {
  const methods = stateless ? STATELESS_METHODS : HANDSHAKE_METHODS
  return Object.hasOwn(methods, name) ? methods[name] : undefined
}
