import type { JsonObject } from '../../core/json/object.ts'
import type { Refusal } from '../../core/refusal.ts'
import type { McpToolResult } from './mcp-tool-result.ts'

/** The provider cannot be reached or is unavailable, or it did not respond in time. */
export type Outage = 'unreachable' | 'timeout'

/** A provider's response, for code that requested it. */
export type WholeResponse = {
  status: number
  headers: Record<string, string>
  body: unknown
  /** `json`: `body` is the value. `none`: it is null. */
  body_encoding: 'json' | 'text' | 'base64' | 'none'
}

/** `refusal.carriedOut` says what the provider has done. */
export type Failure = {
  kind: 'failed'
  refusal: Refusal
  outage: Outage | null
  /** What the provider has sent, for code that requested it. */
  response?: WholeResponse
  /** This machine is the cause, so it says nothing about the provider. */
  isLocal?: true
}

/** A successful result: a value, or the content blocks of an MCP server. */
export type ProviderSuccess = { kind: 'value'; value: unknown } | { kind: 'blocks'; result: McpToolResult }

/** Status 401, or the client certificate of the account was refused in the TLS handshake. */
export type Unauthorized = { kind: 'unauthorized'; refusesCertificate?: true }

/** A provider's response, over HTTP or MCP, classified as far as a call must act on it. */
export type ProviderResponse =
  | ProviderSuccess
  | Unauthorized
  /** The provider states that the credential was revoked, as its connector file declares. */
  | { kind: 'revoked' }
  | { kind: 'insufficient_scope'; scopes: string[] }
  | Failure

/** Of a call that its caller does not wait for once an MCP server has made a task of it. */
export type ServerTaskOptions = {
  /** The server's ID of the task, if another process has made the call. It is not made again. */
  resumes: string | null
  /** The server has made a task of the call. Returns what ends the wait for it. Null: it has to end within the time of the call. */
  accepted(id: string): Promise<AbortSignal | null>
}

/** Timeout, cancellation and metadata of a provider call. */
export type CallOptions = {
  timeoutMs: number
  signal: AbortSignal
  /** Receives the provider's progress notifications unvalidated. Null: no progress is requested. */
  onProgress: ((notification: JsonObject) => void) | null
  /** Equal for repetitions of one call by one user, and unique otherwise. */
  idempotencyKey: string | null
  /** W3C Trace Context. Null: the provider gets none. */
  traceparent: string | null
  serverTask: ServerTaskOptions | null
}

export const failed = (refusal: Refusal, outage: Outage | null = null): Failure => ({
  kind: 'failed',
  refusal,
  outage,
})
