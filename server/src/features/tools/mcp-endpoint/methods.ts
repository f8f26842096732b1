import { isObject } from '../../../core/json/object.ts'
import { Refusal } from '../../../core/refusal.ts'
import { META } from '../../upstream/mcp-client/client-revisions.ts'
import type { ToolCall } from '../admission/admit-call.ts'
import { callerStore, type FoundCaller } from '../admission/caller-store.ts'
import { listTools, pageTools } from '../listing/list-tools.ts'
import { listingStore } from '../listing/listing-store.ts'
import { servedTools } from '../listing/served-tools.ts'
import { withoutDenied } from '../listing/without-denied.ts'
import { type Envelope, opensUrls, TASKS_EXTENSION } from '../mcp-protocol/envelope.ts'
import { metaOf, RPC, type RpcResponse, rpcError, rpcResult } from '../mcp-protocol/json-rpc.ts'
import { jsonResultResponse, resultResponse } from '../mcp-protocol/result-response.ts'
import { chooseRevision, PROTOCOL_VERSIONS } from '../mcp-protocol/revisions.ts'
import { callByName, type RequestedCall } from '../requested-calls/call-by-name.ts'
import type { AuthRequestOptions, Outcome } from '../requested-calls/call-or-request-auth.ts'
import { urlElicitation } from '../requested-calls/question.ts'
import { serializeResult } from '../results/tool-result.ts'
import { requireActiveCaller, requireCaller } from '../steps/require-caller.ts'
import { listenForChanges, TOOLS_CHANGED } from './listen-for-changes.ts'
import { type Method, type MethodContext, type MethodDeps, serverInfo } from './method.ts'
import { reportWhileAdmitted } from './report-progress.ts'
import { openSession } from './session.ts'
import { cancelTask, getTask, taskCreated, tasksRequired, updateTask } from './task-methods.ts'
import { callerTrace, startCallSpan } from './trace-request.ts'

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

const CAPABILITIES = { tools: { listChanged: true } }

const initialize: Method = async (deps, context) => {
  const { address, request, nameSession } = context
  const caller = await callerStore.find(deps.db, address)
  requireCaller(caller)
  const { protocolVersion, capabilities } = request.params ?? {}
  const revision = chooseRevision(protocolVersion)
  const session = openSession(deps.signer, address, { revision, opensUrls: opensUrls(capabilities) })
  nameSession(session.id)
  return resultResponse(serverInfo(deps), context, {
    protocolVersion: revision.name,
    capabilities: CAPABILITIES,
    serverInfo: serverInfo(deps),
    instructions: instructionsFor(caller),
  })
}

const ping: Method = async (deps, { address, request }) => {
  requireCaller(await callerStore.find(deps.db, address))
  return rpcResult(request.id, {})
}

const discover: Method = async (deps, context) => {
  const caller = await callerStore.find(deps.db, context.address)
  requireCaller(caller)
  return resultResponse(serverInfo(deps), context, {
    supportedVersions: PROTOCOL_VERSIONS,
    capabilities: { ...CAPABILITIES, ...TASKS_EXTENSION },
    instructions: instructionsFor(caller),
    ...context.envelope.revision.listFields,
  })
}

const list: Method = async (deps, context) => {
  const { address, envelope, request } = context
  const caller = requireActiveCaller(await listingStore.listing(deps.db, address))
  const offered = await withoutDenied(deps, caller, await listTools(deps, caller, address))
  const tools = servedTools(caller, offered, caller.revealedTools ?? [])
  return resultResponse(serverInfo(deps), context, {
    ...pageTools(tools, request.params?.cursor),
    ...envelope.revision.listFields,
  })
}

const call: Method = async (deps, context) => {
  const { request } = context
  const { name, arguments: args = {}, requestState, inputResponses } = request.params ?? {}
  if (typeof name !== 'string' || !isObject(args))
    return rpcError(request.id, RPC.invalidParams, 'tools/call takes a name and an object of arguments.')
  if (
    inputResponses !== undefined &&
    !(isObject(inputResponses) && Object.values(inputResponses).every(isObject))
  )
    return rpcError(request.id, RPC.invalidParams, 'inputResponses is an object of answers.')
  const { address, signal, responder } = context
  const trace = callerTrace(context)
  const toolCall: RequestedCall = {
    ...address,
    name,
    args,
    signal,
    onProgress: progressOf(deps, context),
    onRate: headers => {
      for (const [header, value] of Object.entries(headers)) responder.header(header, value)
    },
    asTask: context.envelope.takesTasks,
    idempotencyKey: idempotencyKeyOf(context),
    trace,
  }
  const { tracing } = deps
  const outcome = await callByName(deps, toolCall, {
    waitSeconds: address.waitSeconds,
    elicitation: elicitationOf(context),
    requestState,
    inputResponses,
    // The stream starts with the wait, even if no progress was requested, so that the call does not look hung.
    onWait: responder.begin,
    disconnected: responder.disconnected,
    startSpan: tracing && (() => startCallSpan(tracing, context, trace)),
  })
  return describe(deps, context, outcome)
}

const elicitationOf = ({ address, envelope }: MethodContext): AuthRequestOptions['elicitation'] =>
  address.elicitation && envelope.opensUrls ? envelope.revision.urlElicitation : null

/** Null if the client did not request progress or cannot receive it. */
const progressOf = (
  deps: MethodDeps,
  { address, request, responder }: MethodContext,
): ToolCall['onProgress'] => {
  const { progressToken } = metaOf(request)
  if (!responder.canStream || (typeof progressToken !== 'string' && typeof progressToken !== 'number'))
    return null
  const mayHear = async () => {
    const { userActive, packId } = await callerStore.find(deps.db, address)
    return userActive && packId !== null
  }
  return reportWhileAdmitted(mayHear, progress =>
    responder.notify('notifications/progress', { progressToken, ...progress }),
  )
}

/** The header and the field of `_meta` mean the same. */
const idempotencyKeyOf = ({ address, request }: MethodContext): string | null => {
  const { 'Idempotency-Key': key = null } = metaOf(request)
  if (key !== null && typeof key !== 'string')
    throw new Refusal('invalid_idempotency_key', { param: 'Idempotency-Key' })
  const header = address.headers?.['idempotency-key']
  if (header === undefined) return key
  if (key !== null && key !== header)
    throw new Refusal('conflicting_idempotency_key', { param: 'Idempotency-Key' })
  return String(header)
}

const describe = (
  deps: MethodDeps,
  context: MethodContext,
  outcome: Outcome,
): RpcResponse | Promise<RpcResponse> => {
  const { id } = context.request
  switch (outcome.kind) {
    case 'result':
      // Older revisions may send the notification with the response, which reaches clients without a stream for notifications.
      if (outcome.changedList && context.envelope.revision.notifiesInResponses)
        context.responder.notify(TOOLS_CHANGED, {})
      return jsonResultResponse(serverInfo(deps), context, serializeResult(outcome.result))
    case 'task':
      return taskCreated(deps, context, outcome.id)
    case 'input_required': {
      const { question, requestState } = outcome
      return resultResponse(serverInfo(deps), context, {
        resultType: 'input_required',
        inputRequests: {
          [question.name]: { method: 'elicitation/create', params: urlElicitation(question) },
        },
        requestState,
      })
    }
    case 'url_required': {
      const { question } = outcome
      const elicitation = { ...urlElicitation(question), elicitationId: question.id }
      return rpcError(id, RPC.urlElicitationRequired, question.message, { elicitations: [elicitation] })
    }
  }
}

const SUBSCRIPTION = `${META}subscriptionId`

/** 2026-07-28, "Subscriptions". */
const listen: Method = async (deps, context) => {
  const { address, request, responder } = context
  const wanted = isObject(request.params?.notifications) ? request.params.notifications : {}
  if (wanted.taskIds !== undefined && !context.envelope.takesTasks) return tasksRequired(request.id)
  const filter = wanted.toolsListChanged === true ? { toolsListChanged: true } : {}
  const meta = { [SUBSCRIPTION]: request.id }
  await listenForChanges(deps, address, responder, {
    onOpen: () =>
      responder.notify('notifications/subscriptions/acknowledged', { _meta: meta, notifications: filter }),
    onChange: () => {
      if (filter.toolsListChanged) responder.notify(TOOLS_CHANGED, { _meta: meta })
    },
  })
  return resultResponse(serverInfo(deps), context, {}, meta)
}

const SESSION_METHODS: Record<string, Method> = {
  initialize,
  ping,
  'tools/list': list,
  'tools/call': call,
}

const STATELESS_METHODS: Record<string, Method> = {
  'server/discover': discover,
  'tasks/get': getTask,
  'tasks/update': updateTask,
  'tasks/cancel': cancelTask,
  'subscriptions/listen': listen,
  'tools/list': list,
  'tools/call': call,
}

export const findMethod = ({ revision }: Envelope, name: string): Method | undefined => {
  const methods = revision.hasSessions ? SESSION_METHODS : STATELESS_METHODS
  return Object.hasOwn(methods, name) ? methods[name] : undefined
}
