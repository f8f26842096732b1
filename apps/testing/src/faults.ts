import type { Client, McpToolsState } from '@carabiner/sdk'
import { type Duration, parseDuration } from './duration.ts'
import type { McpServer, McpServerTool } from './mcp/mcp-server.ts'
import type { SandboxControl, SandboxFault, SandboxTarget } from './sandbox-control.ts'
import type { LinkedAccount, TestUser } from './users.ts'

/** A scripted fault. It ends after `times` requests, or when it is cleared. */
export type Fault = { clear(): Promise<void>; [Symbol.asyncDispose](): Promise<void> }

export type FaultOptions = {
  /** The connector of the sandbox. Default: `sandbox-notes`. */
  connector?: 'sandbox-notes' | 'sandbox-vault' | undefined
  /** The number of requests to the provider that fail. */
  times?: number | undefined
}

/** Faults of the provider. Without a `user`, the first three affect the accounts of all users. */
export type Faults = {
  /** The provider no longer accepts the access token. The service refreshes it, and the call succeeds. */
  expireToken(user?: TestUser): Promise<void>
  /** Neither token is accepted any more. The next call returns `authenticate_meta` with the reason `expired`. */
  expireConnection(user?: TestUser): Promise<void>
  /**
   * The provider rejects the account: refreshed tokens, or the API key. The next call returns `authenticate_meta` with the reason
   * `revoked`.
   */
  revokeAccess(user?: TestUser): Promise<void>
  /** The provider requires another scope. The call returns `authenticate_meta` with the reason `insufficient_scope`. */
  insufficientScope(options?: FaultOptions & { scope?: string | undefined }): Promise<Fault>
  /** The provider answers 429 with `Retry-After`. */
  rateLimit(options?: FaultOptions & { retryAfterSeconds?: number | undefined }): Promise<Fault>
  /** The provider answers with an error. Default of `times`: 2, because the service repeats a safe call once. */
  serverError(options?: FaultOptions & { status?: number | undefined }): Promise<Fault>
  /** The provider resets the connection. Default of `times`: 2. */
  unreachable(options?: FaultOptions): Promise<Fault>
  /** The provider answers late. Default of `delay`: 5 seconds. */
  slow(options?: FaultOptions & { delay?: Duration | undefined }): Promise<Fault>
  /** An MCP server changes its tools. By default the service keeps the accepted ones until the change is reviewed. */
  changeTools(server: McpServer, tools: readonly McpServerTool[]): Promise<McpToolsState>
  /** Removes all scripted faults of the sandbox. */
  clear(): Promise<void>
}

const TARGETS = { 'sandbox-notes': 'notes', 'sandbox-vault': 'vault' } as const
const DEFAULT_DELAY = '5 seconds'

export const createFaults = (sandbox: SandboxControl, client: Client): Faults => {
  const script = async (fault: SandboxFault): Promise<Fault> => {
    const id = await sandbox.script(fault)
    const clear = () => sandbox.clearFaults(id)
    return { clear, [Symbol.asyncDispose]: clear }
  }
  const forAccounts = async (user: TestUser | undefined, act: (account?: LinkedAccount) => Promise<void>) => {
    if (!user) return act()
    for (const account of requireAccounts(user)) await act(account)
  }
  return {
    expireToken: user => forAccounts(user, account => onGrant(account, sandbox.expireAccessTokens)),
    expireConnection: user => forAccounts(user, account => onGrant(account, sandbox.endGrants)),
    revokeAccess: user =>
      forAccounts(user, async account => {
        if (account?.grant !== null) await sandbox.rejectGrants(account?.grant)
        const holders = account ? [account.account] : (['ana', 'ben'] as const)
        if (!account || account.grant === null)
          for (const holder of holders) await sandbox.revokeVaultKey(holder)
      }),
    insufficientScope: ({ scope = 'notes:write', ...options } = {}) =>
      script({
        ...requestsOf(options, 1),
        behavior: 'status',
        status: 403,
        headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
      }),
    rateLimit: ({ retryAfterSeconds = 1, ...options } = {}) =>
      script({
        ...requestsOf(options, 1),
        behavior: 'status',
        status: 429,
        headers: { 'retry-after': String(retryAfterSeconds) },
      }),
    serverError: ({ status = 503, ...options } = {}) =>
      script({ ...requestsOf(options, 2), behavior: 'status', status }),
    unreachable: (options = {}) => script({ ...requestsOf(options, 2), behavior: 'reset' }),
    slow: ({ delay = DEFAULT_DELAY, ...options } = {}) =>
      script({ ...requestsOf(options, 1), behavior: 'slow', delay_ms: parseDuration(delay) }),
    changeTools: (server, tools) => {
      server.setTools(tools)
      return client.mcpConnectors.checkTools(server.slug)
    },
    clear: () => sandbox.clearFaults(),
  }
}

const requestsOf = (
  { connector = 'sandbox-notes', times }: FaultOptions,
  defaultTimes: number,
): { target: SandboxTarget; times: number } => ({ target: TARGETS[connector], times: times ?? defaultTimes })

/** An API key has no tokens that expire. */
const onGrant = async (
  account: LinkedAccount | undefined,
  act: (grant?: string) => Promise<void>,
): Promise<void> => {
  if (account?.grant === null) return
  await act(account?.grant)
}

const requireAccounts = (user: TestUser): LinkedAccount[] => {
  if (user.accounts.size > 0) return [...user.accounts.values()]
  throw new Error(
    `This package has linked no account of the user ${user.id}. Link it with linkedUser() or link(), or omit the user to affect all accounts.`,
  )
}
