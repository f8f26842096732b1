import type { Database } from '../../../platform/database/database.ts'
import type { Egress } from '../../../platform/egress/egress.ts'
import type { Log } from '../../../platform/log.ts'
import type { ToolArguments } from '../../upstream/http/http-tool.ts'
import type { McpSessions } from '../../upstream/mcp-client/sessions.ts'
import type { Answer, CallTerms } from '../../upstream/provider-answer.ts'
import type { CallableTool } from '../admission/callable-tool.ts'
import { httpThirdParty } from './http-provider.ts'
import { mcpThirdParty } from './mcp-provider.ts'
import type { Access } from './resolve-credential.ts'

export type AskDeps = { db: Database; egress: Egress; log: Log; sessions: McpSessions }

/** One try at a call: for whom, with what, and on which terms. */
export type Asking = {
  organizationId: string
  registeredUserId: string
  access: Access
  args: ToolArguments
  terms: CallTerms
}

/** The seam: a tool at its third party, however that is spoken to. */
export type ThirdParty = {
  /** What people know it by. */
  name: string
  connectorSlug: string
  /** Called twice it does no more than once. Whoever says so wrongly harms only itself: its own call is made again. */
  repeatable: boolean
  /** Where a call goes: at another customer of the third party it may be another machine. */
  originFor(access: Access): string
  ask(deps: AskDeps, asking: Asking): Promise<Answer>
}

export const thirdPartyOf = (callable: Exclude<CallableTool, { kind: 'authenticate' }>): ThirdParty =>
  callable.kind === 'http' ? httpThirdParty(callable) : mcpThirdParty(callable)
