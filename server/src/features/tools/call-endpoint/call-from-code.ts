import {
  type ApprovalMeta,
  type AuthenticateMeta,
  describeError,
  findApprovalMeta,
  findAuthenticateMeta,
} from '@carabiner/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../../core/refusal.ts'
import { hashToken, parseToken } from '../../../core/token.ts'
import { isUuid } from '../../../core/uuid.ts'
import { type ErrorObject, errorObject, toRefusal } from '../../../edge/errors.ts'
import { bearerToken } from '../../../edge/principal.ts'
import { isIdempotencyKey } from '../../../platform/idempotency-key.ts'
import { parseTraceparent } from '../../../platform/tracing/traceparent.ts'
import type { Tracing } from '../../../platform/tracing/tracing.ts'
import { requireDefaultPack } from '../../connectors/tool-packs/save-tool-pack.ts'
import { callerStore } from '../admission/caller-store.ts'
import { ACCOUNT_ARGUMENT } from '../admission/named-account.ts'
import { disconnectSignal } from '../mcp-protocol/disconnect-signal.ts'
import { type CallByNameDeps, callByName, type RequestedCall } from '../requested-calls/call-by-name.ts'
import { hashSession } from '../requested-calls/hash-session.ts'
import { errorResult, type ToolResult } from '../results/tool-result.ts'
import { requireActiveCaller } from '../steps/require-caller.ts'

export type CallDeps = CallByNameDeps & { tracing: Tracing | null }

/** What the body and the path of a request say about a call. */
export type CodeCall = Pick<RequestedCall, 'name' | 'args' | 'byCode'> & {
  registeredUserId: string
  /** Default: the default Tool Pack. */
  toolPackId: string | undefined
  account: string | undefined
  /** In seconds. */
  wait: number | undefined
  /** Why nobody can make this call. It is reported to callers that may make others. */
  refusal?: Refusal | undefined
}

/** The result of a call, or why it has none. */
export type CodeResult = {
  /** The record. Null: there is none. */
  toolCallId: string | null
  result: ToolResult
  error: ErrorObject | null
  authenticateMeta: AuthenticateMeta | null
  approvalMeta: ApprovalMeta | null
}

/**
 * A call by the code of an application, on the same path as a call over MCP. Errors that a model can act on are part of the result; for every
 * other error, the response has its status.
 */
export const callFromCode = async (
  deps: CallDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  code: CodeCall,
): Promise<CodeResult> => {
  let toolCallId: string | null = null
  const call = await readCall(deps, request, reply, code)
  if (code.refusal) {
    requireActiveCaller(await callerStore.find(deps.db, call))
    throw code.refusal
  }
  const { tracing } = deps
  const disconnected = disconnectSignal(reply.raw)
  const trace = parseTraceparent(request.headers.traceparent)
  const made = callByName(
    deps,
    {
      ...call,
      // The result of a call with an idempotency key is stored, so that a client that has lost its connection can fetch it.
      signal: call.idempotencyKey === null ? disconnected : new AbortController().signal,
      onRecord: id => {
        toolCallId = id
      },
      trace,
    },
    {
      waitSeconds: code.wait ?? 0,
      elicitation: null,
      requestState: undefined,
      inputResponses: undefined,
      onWait: () => undefined,
      disconnected,
      startSpan: tracing && (() => startSpan(tracing, request, trace)),
    },
  )
  const { result, error } = await made.then(
    outcome => {
      if (outcome.kind !== 'result') throw new Error(`a call from code cannot end as ${outcome.kind}`)
      return { result: outcome.result, error: null }
    },
    (thrown: unknown) => failureOf(toRefusal(thrown), request.id, deps.baseUrl),
  )
  return { toolCallId, result, error, ...metasOf(result) }
}

const readCall = async (
  { db }: CallDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { name, args, byCode, registeredUserId, toolPackId, account }: CodeCall,
): Promise<Omit<RequestedCall, 'signal'>> => {
  const { organizationId } = request.principal
  const keyHash = requireKey(request)
  if (!isUuid(registeredUserId))
    throw new Refusal('registered_user_not_found', { param: 'registered_user_id' })
  if (toolPackId !== undefined && !isUuid(toolPackId))
    throw new Refusal('tool_pack_not_found', { param: 'tool_pack_id' })
  return {
    keyHash,
    // Canonical spelling: limits and wake-ups are keyed by it.
    registeredUserId: registeredUserId.toLowerCase(),
    toolPackId: toolPackId?.toLowerCase() ?? (await requireDefaultPack(db, organizationId)).id,
    name,
    args: withAccount(args, account),
    ...(byCode && { byCode }),
    requestId: request.id,
    headers: request.headers,
    idempotencyKey: readIdempotencyKey(request),
    only: null,
    authenticatedOnly: false,
    sessionHash: hashSession(null),
    onProgress: null,
    onRate: headers => void reply.headers(headers),
  }
}

/** The admission reads the key again, together with everything else. A member has no key that could be the caller of an approval. */
const requireKey = (request: FastifyRequest): Buffer => {
  const isKey = request.principal.actor.type === 'api_key'
  const key = isKey ? bearerToken(request) : ''
  const token = parseToken('productionKey', key) ?? parseToken('testKey', key)
  if (!token)
    throw new Refusal('permission_denied', {
      message: 'Only the backend of the application can do this, with an API key of the group `tools`.',
    })
  return hashToken(token)
}

const readIdempotencyKey = ({ headers }: FastifyRequest): string | null => {
  const key = headers['idempotency-key']
  if (key === undefined) return null
  if (!isIdempotencyKey(key)) throw new Refusal('invalid_idempotency_key', { param: 'Idempotency-Key' })
  return key
}

const withAccount = (args: RequestedCall['args'], account: string | undefined): RequestedCall['args'] => {
  if (account === undefined) return args
  if (Object.hasOwn(args, ACCOUNT_ARGUMENT) && args[ACCOUNT_ARGUMENT] !== account)
    throw new Refusal('invalid_request', {
      param: 'account',
      message: `"account" and the argument "${ACCOUNT_ARGUMENT}" name different accounts.`,
    })
  return { ...args, [ACCOUNT_ARGUMENT]: account }
}

/** Throws an error that is for the calling code and not for a model. */
const failureOf = (
  refusal: Refusal,
  requestId: string,
  baseUrl: string,
): Pick<CodeResult, 'result' | 'error'> => {
  if (describeError(refusal.code).carrier !== 'tool') throw refusal
  const error = errorObject(refusal, requestId, baseUrl)
  return { error, result: errorResult({ error: { ...error } }) }
}

/** Only this service makes results of these types: it quotes what a provider sends in their shape. */
const metasOf = ({
  structuredContent,
}: ToolResult): Pick<CodeResult, 'authenticateMeta' | 'approvalMeta'> => ({
  authenticateMeta: findAuthenticateMeta(structuredContent) as AuthenticateMeta | null,
  approvalMeta: findApprovalMeta(structuredContent) as ApprovalMeta | null,
})

const startSpan = (
  tracing: Tracing,
  { method, routeOptions }: FastifyRequest,
  parent: ReturnType<typeof parseTraceparent>,
) =>
  tracing.start(`${method} ${routeOptions.url}`, {
    kind: 'server',
    parent,
    link: null,
    attributes: { 'gen_ai.operation.name': 'execute_tool', 'http.route': routeOptions.url ?? '' },
  })
