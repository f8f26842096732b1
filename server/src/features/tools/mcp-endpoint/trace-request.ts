import { parseTraceparent, type TraceContext } from '../../../platform/tracing/traceparent.ts'
import type { SpanAttributes, TraceSpan, Tracing } from '../../../platform/tracing/tracing.ts'
import type { Envelope } from '../mcp-protocol/envelope.ts'
import { metaOf, type RpcId, type RpcRequest } from '../mcp-protocol/json-rpc.ts'
import type { Address } from './address.ts'

type MethodContext = { address: Address; envelope: Envelope; request: RpcRequest }

/** SEP-414: `params._meta` names the caller's span. The HTTP header is used if there is none. */
export const callerTrace = ({ address, request }: MethodContext): TraceContext | null =>
  parseTraceparent(metaOf(request).traceparent) ?? parseTraceparent(address.headers.traceparent)

/** The server span of the semantic conventions for MCP. */
export const startCallSpan = (
  tracing: Tracing,
  context: MethodContext,
  parent: TraceContext | null,
): TraceSpan => {
  const { address, envelope, request } = context
  const transport = parseTraceparent(address.headers.traceparent)
  return tracing.start('tools/call', {
    kind: 'server',
    parent,
    link: transport && transport.spanId !== parent?.spanId ? transport : null,
    attributes: {
      'mcp.method.name': 'tools/call',
      'mcp.protocol.version': envelope.revision.name,
      'gen_ai.operation.name': 'execute_tool',
      'network.transport': 'tcp',
      'network.protocol.name': 'http',
      ...requestIdAttribute(request.id),
    },
  })
}

/** Chosen by the caller, so other text than a plain identifier is left out. */
const REQUEST_ID = /^[\w-]{1,64}$/

const requestIdAttribute = (id: RpcId): SpanAttributes => {
  const text = String(id)
  return REQUEST_ID.test(text) ? { 'jsonrpc.request.id': text } : {}
}
