import type { WakeUps } from '../../../platform/jobs/wake-ups.ts'
import type { Tracing } from '../../../platform/tracing/tracing.ts'
import type { Signer } from '../../../platform/vault/vault.ts'
import type { CallDeps } from '../calls/call-tool.ts'
import type { Envelope } from '../mcp-protocol/envelope.ts'
import type { RpcRequest, RpcResponse } from '../mcp-protocol/json-rpc.ts'
import type { McpResponder } from '../mcp-protocol/response.ts'
import type { ServerInfo } from '../mcp-protocol/result-response.ts'
import type { OpenStreams } from '../requested-calls/open-streams.ts'
import type { SessionAddress } from './address.ts'

export type MethodDeps = CallDeps & {
  signer: Signer
  openStreams: OpenStreams
  wakeUps: WakeUps
  version: string
  /** Null if tracing is off. */
  tracing: Tracing | null
}

/** One request with its envelope and the means to send notifications before its response. */
export type MethodContext = {
  address: SessionAddress
  envelope: Envelope
  request: RpcRequest
  responder: McpResponder
  /** Aborted when the caller cancels. */
  signal: AbortSignal
  /** Sets the session header in the response to the handshake. */
  nameSession: (id: string) => void
}

export type Method = (deps: MethodDeps, context: MethodContext) => Promise<RpcResponse>

export const serverInfo = ({ version }: MethodDeps): ServerInfo => ({
  name: 'carabiner',
  title: 'Carabiner',
  version,
})
