import { isServed } from '../../../core/organization-state.ts'
import { Refusal } from '../../../core/refusal.ts'
import { newUuid } from '../../../core/uuid.ts'
import type { Queryable } from '../../../platform/database/database.ts'
import type { TraceContext } from '../../../platform/tracing/traceparent.ts'
import type { TraceSpan } from '../../../platform/tracing/tracing.ts'
import type { Connectors } from '../../connectors/availability.ts'
import { asConnector } from '../../connectors/mcp-servers/mcp-connector.ts'
import { OWN_SLOT } from '../../metering/limits/limits.ts'
import type { RequestHeaders } from '../../metering/records/caller-headers.ts'
import type { ToolArguments } from '../../upstream/http/http-tool.ts'
import type { CallAdmission, McpCallAdmission } from './admission-rows.ts'
import { admissionStore, type NewCall } from './admission-store.ts'
import type { CallableTool } from './callable-tool.ts'
import { callerStore, type FoundCaller, type Known } from './caller-store.ts'
import { parseToolName, type ToolAddress } from './tool-names.ts'

export type ToolCall = {
  keyHash: Buffer
  registeredUserId: string
  toolPackId: string
  name: string
  args: ToolArguments
  requestId: string
  /** `?connectors=a,b`: a narrower pack for this call. */
  only: string[] | null
  /** Aborted when the caller cancels or disconnects; the provider call is aborted too. */
  signal: AbortSignal
  /** Receives the server's progress; null if the caller did not request it. */
  onProgress: ((progress: CallProgress) => void) | null
  /** Receives the rate limit headers; null if the response cannot carry them. */
  onRate: ((headers: Record<string, string>) => void) | null
  /** Headers of the HTTP request. */
  headers?: RequestHeaders
  /** The trace of the caller, if it has sent one. */
  trace?: TraceContext | null
  /** The span of this call; null if tracing is off. */
  span?: TraceSpan | null
  /** `_meta["Idempotency-Key"]`: the same call of this user is made once, however often it is sent. */
  idempotencyKey: string | null
}

export type CallProgress = { progress: number; total?: number; message?: string }

export type Admitted = {
  admission: CallAdmission
  callable: CallableTool
  reserved: NewCall
}

type Deps = { batched: Queryable; connectors: Connectors }

/** One writing statement checks the caller and reserves the record. If it returns nothing, a second statement finds out why. */
export const admitCall = async (deps: Deps, call: ToolCall): Promise<Admitted> => {
  const address = parseToolName(call.name)
  const allowed = address !== null && (call.only === null || call.only.includes(address.slug))
  const admitted = allowed ? await admitAt(deps, call, address) : null
  return admitted ?? refuseAdmission(await callerStore.find(deps.batched, call))
}

const admitAt = async (
  deps: Deps,
  call: ToolCall,
  { slug, tool: name }: ToolAddress,
): Promise<Admitted | null> => {
  const record = {
    callId: newUuid(),
    connectorSlug: slug,
    tool: name ?? 'authenticate',
    requestId: call.requestId,
    slot: name === null ? null : OWN_SLOT,
    traceId: traceIdOf(call),
  }
  const connector = deps.connectors.findShipped(slug)
  if (!connector) return admitAtServer(deps, call, record, name === null)
  const tool = connector.tools.find(candidate => candidate.name === name)
  if (!tool) return null
  const usableByAll = deps.connectors.findForAll(slug) !== null
  const admission = await admissionStore.admit(deps.batched, call, record, usableByAll)
  if (!admission) return null
  const callable = {
    kind: 'http',
    name: call.name,
    connector,
    tool,
    choice: admission.toolChoice ?? {},
  } as const
  return { admission, callable, reserved: record }
}

/** A trace that this service has begun is recorded only if its spans are. */
const traceIdOf = ({ trace, span }: ToolCall): string | null =>
  span?.context.isSampled ? span.context.traceId : (trace?.traceId ?? null)

const admitAtServer = async (
  { batched, connectors }: Deps,
  call: ToolCall,
  record: NewCall,
  requestsLink: boolean,
): Promise<Admitted | null> => {
  const known = connectors.catalog.find(record.connectorSlug)
  const inCatalog = known?.mcp !== undefined
  const admission = await admissionStore.admitMcp(batched, call, record, { requestsLink, inCatalog })
  const callable =
    admission && serverTool(admission, call.name, record.connectorSlug, requestsLink ? known : null)
  return callable && { admission, callable, reserved: record }
}

const serverTool = (
  admission: McpCallAdmission,
  name: string,
  slug: string,
  known: CallableTool['connector'] | null,
): CallableTool | null => {
  const { server } = admission
  const connector = server ? asConnector({ slug, ...server }) : known
  if (!connector) return null
  if (!admission.toolDefinition) return { kind: 'authenticate', name, connector }
  const choice = admission.toolChoice ?? {}
  return server && { kind: 'mcp', name, connector, server, tool: admission.toolDefinition, choice }
}

const refuseAdmission = (caller: FoundCaller): never => {
  requireCaller(caller)
  if (!caller.userActive) throw new Refusal('user_inactive')
  throw new Refusal('tool_not_found', { param: 'name' })
}

/** Returns a known caller, and throws the refusal for the first part that is unknown. */
export const requireCaller = <
  Found extends Pick<FoundCaller, 'organizationId' | 'organizationState' | 'userId' | 'packId'>,
>(
  caller: Found,
): Known<Found> => {
  const { organizationId, organizationState, userId, packId } = caller
  if (organizationId === null || !isServed(organizationState))
    throw new Refusal('invalid_api_key', { param: 'Authorization' })
  if (userId === null) throw new Refusal('registered_user_not_found')
  if (packId === null) throw new Refusal('tool_pack_not_found')
  return { ...caller, organizationId, userId, packId }
}
