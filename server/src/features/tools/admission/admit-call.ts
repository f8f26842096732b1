import { newUuid } from '../../../core/uuid.ts'
import type { Queryable } from '../../../platform/database/database.ts'
import type { TraceContext } from '../../../platform/tracing/traceparent.ts'
import type { TraceSpan } from '../../../platform/tracing/tracing.ts'
import type { Connectors } from '../../connectors/availability.ts'
import { OWN_SLOT } from '../../metering/limits/limits.ts'
import type { RequestHeaders } from '../../metering/records/caller-headers.ts'
import type { ToolArguments } from '../../upstream/http/http-tool.ts'
import { addressTool, callableTool, recordedName } from './address-tool.ts'
import type { CallAdmission } from './admission-rows.ts'
import { admissionStore, type NewCall } from './admission-store.ts'
import type { CallableTool } from './callable-tool.ts'
import { namedAccount, withoutAccount } from './named-account.ts'
import { parseToolName, type ToolAddress } from './tool-names.ts'

export type ToolCall = {
  keyHash: Buffer
  registeredUserId: string
  toolPackId: string
  name: string
  args: ToolArguments
  /** The tool was named in the arguments of `call_tool`. */
  byCallTool?: true
  /** A raw request by the code of an application. It may set headers, and gets the response as it is. */
  byCode?: true
  requestId: string
  /** `?connectors=a,b`: a narrower pack for this call. */
  only: string[] | null
  /** Aborted when the caller cancels or disconnects; the provider call is aborted too. */
  signal: AbortSignal
  /** Receives the server's progress; null if the caller did not request it. */
  onProgress: ((progress: CallProgress) => void) | null
  /** Receives the rate limit headers; null if the response cannot carry them. */
  onRate: ((headers: Record<string, string>) => void) | null
  /** Receives the ID of the record. A call that has waited has several; the last one is of the attempt that ended it. */
  onRecord?: (toolCallId: string) => void
  /** Headers of the HTTP request. */
  headers?: RequestHeaders
  /** The trace of the caller, if it has sent one. */
  trace?: TraceContext | null
  /** The span of this call; null if tracing is off. */
  span?: TraceSpan | null
  /** The client takes a task for a call that waits for an approval, or that its server makes a task of. */
  asTask?: boolean
  /** Receives the ID once the call is a task. Its result is stored for the client, which is not connected any more. */
  onTask?: (id: string) => void
  /** The task that another process has begun, and the server’s ID of its task. The call is not made again. */
  resumes?: { taskId: string; serverTaskId: string }
  /** `_meta["Idempotency-Key"]`, or the HTTP header of that name: the same call of this user is made once, however often it is sent. */
  idempotencyKey: string | null
}

export type CallProgress = { progress: number; total?: number; message?: string }

export type Admitted = {
  admission: CallAdmission
  callable: CallableTool
  /** The arguments of the tool, without the name of the account. */
  args: ToolArguments
  reserved: NewCall
}

type Deps = { batched: Queryable; connectors: Connectors }

/** One writing statement checks the caller and reserves the record. Returns null if the caller may not call a tool of this name. */
export const admitCall = async (deps: Deps, call: ToolCall): Promise<Admitted | null> => {
  const address = parseToolName(call.name)
  const allowed = address !== null && (call.only === null || call.only.includes(address.slug))
  return allowed ? admitAt(deps, call, address) : null
}

const admitAt = async (
  { batched, connectors }: Deps,
  call: ToolCall,
  address: ToolAddress,
): Promise<Admitted | null> => {
  const addressed = addressTool(connectors, address)
  if (addressed.kind === 'http' && !addressed.tool && !addressed.isRequest) return null
  const reserved = {
    callId: newUuid(),
    connectorSlug: address.slug,
    tool: recordedName(address),
    account: namedAccount(call.args),
    requestId: call.requestId,
    slot: address.tool === null ? null : OWN_SLOT,
    traceId: traceIdOf(call),
  }
  const admission =
    addressed.kind === 'http'
      ? await admissionStore.admit(batched, call, reserved, addressed)
      : await admissionStore.admitMcp(batched, call, reserved, addressed)
  const found = admission && callableTool(call.name, addressed, admission)
  if (!found) return null
  const callable = found.kind === 'request' && call.byCode ? { ...found, byCode: call.byCode } : found
  return { admission, callable, args: withoutAccount(callable, call.args), reserved }
}

/** A trace that this service has begun is recorded only if its spans are. */
const traceIdOf = ({ trace, span }: ToolCall): string | null =>
  span?.context.isSampled ? span.context.traceId : (trace?.traceId ?? null)
