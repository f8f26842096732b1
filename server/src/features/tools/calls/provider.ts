import type { Database } from '../../../platform/database/database.ts'
import type { Egress } from '../../../platform/egress/egress.ts'
import type { Log } from '../../../platform/log.ts'
import type { ToolArguments } from '../../upstream/http/http-tool.ts'
import type { McpSessions } from '../../upstream/mcp-client/sessions.ts'
import type { CallOptions, ProviderResponse } from '../../upstream/provider-response.ts'
import type { Access } from '../steps/call/access.ts'

export type ProviderDeps = { db: Database; egress: Egress; log: Log; sessions: McpSessions }

/** One attempt at a call. */
export type ProviderRequest = {
  organizationId: string
  registeredUserId: string
  access: Access
  args: ToolArguments
  options: CallOptions
}

/** A tool at its provider, over HTTP or MCP. */
export type Provider = {
  /** The display name. */
  name: string
  connectorSlug: string
  /** Calling it twice has the effect of calling it once, according to the connector file or the server. */
  repeatable: boolean
  /** The provider recognizes a repeated request by its idempotency key, according to the connector file. */
  honorsIdempotencyKey: boolean
  /** Depends on the credential, because tenants of one provider may have hosts of their own. */
  originFor(access: Access): string
  call(deps: ProviderDeps, request: ProviderRequest): Promise<ProviderResponse>
}
