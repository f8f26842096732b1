import { type Client, mcpUrl } from '@carabiner/sdk'
import type { Throwaway } from 'carabiner/testing'
import { followLink, type LinkChoices, type LinkResult } from './link/follow-link.ts'
import type { ToolResult } from './mcp/mcp-server.ts'
import type { Account, SandboxControl } from './sandbox-control.ts'

export type NewUser = {
  /** Your ID of the user. Default: `user-1`, `user-2`, … */
  originUserId?: string | undefined
  name?: string | undefined
  email?: string | undefined
}

export type LinkOptions = Omit<LinkChoices, 'connector' | 'decision'> & {
  connector: string
  /** The tools whose scopes the link requests. Default: those of the Tool Pack. */
  tools?: string[] | undefined
}

export type TestUser = {
  id: string
  /** The MCP endpoint of the user's agent, with the default Tool Pack. */
  mcpUrl: string
  /** The headers that an MCP client sends to it: the test API key. */
  headers: { authorization: string }
  /** Calls a tool once, without an MCP client. Throws if the endpoint returns a protocol error. */
  callTool(name: string, args?: Record<string, unknown>): Promise<ToolResult>
  /** Accounts at the sandbox that this package has linked, by connector. */
  readonly accounts: ReadonlyMap<string, LinkedAccount>
}

/** `grant`: the ID of the OAuth grant at the sandbox. Null for an API key. */
export type LinkedAccount = { account: Account; grant: string | null }

export type Users = {
  create: (user?: NewUser) => Promise<TestUser>
  link: (user: TestUser, options: LinkOptions) => Promise<void>
  followLink: (url: string, choices: LinkChoices & { user?: TestUser }) => Promise<LinkResult>
}

/** The connector of the sandbox whose accounts have an API key instead of a grant. */
const VAULT = 'sandbox-vault'

type Deps = { service: Throwaway; client: Client; sandbox: SandboxControl }

export const createUsers = (deps: Deps): Users => {
  const { service, client, sandbox } = deps
  const accounts = new WeakMap<TestUser, Map<string, LinkedAccount>>()
  let count = 0
  // The new grant of a link is found by comparison, so links are followed one after another.
  let last: Promise<unknown> = Promise.resolve()

  const follow = async (
    url: string,
    { user, ...choices }: LinkChoices & { user?: TestUser },
  ): Promise<LinkResult> => {
    const known = new Set((await sandbox.grants()).map(({ id }) => id))
    const result = await followLink({ ...service, sandbox }, url, choices)
    const grant = (await sandbox.grants()).find(({ id }) => !known.has(id))?.id ?? null
    const { connector = '', account = 'ana' } = choices
    if (user && (grant !== null || (connector === VAULT && choices.apiKey === undefined)))
      accounts.get(user)?.set(connector, { account, grant })
    return result
  }

  const users: Users = {
    create: async ({ originUserId = `user-${++count}`, name = 'Ana Ruiz', email } = {}) => {
      const { id } = await client.registeredUsers.upsert({
        origin_user_id: originUserId,
        origin_user_name: name,
        ...(email !== undefined && { email }),
      })
      const linked = new Map<string, LinkedAccount>()
      const user = openUser(service, id, linked)
      accounts.set(user, linked)
      return user
    },
    followLink: (url, choices) => {
      const following = last.then(() => follow(url, choices))
      last = following.catch(() => undefined)
      return following
    },
    link: async (user, { tools, ...options }) => {
      const { magic_link_url } = await client.linkTokens.mint(user.id, {
        connector: options.connector,
        ...(tools && { tools }),
      })
      const { title } = await users.followLink(magic_link_url, { ...options, user })
      const credentials = await client.registeredUsers.credentials.list(user.id)
      const linked = credentials.find(({ connector_slug }) => connector_slug === options.connector)
      if (linked?.status !== 'active')
        throw new Error(`${options.connector} was not linked. Link ended with the page "${title}".`)
    },
  }
  return users
}

const openUser = (
  { baseUrl, organization }: Throwaway,
  id: string,
  accounts: ReadonlyMap<string, LinkedAccount>,
): TestUser => {
  const url = mcpUrl({ baseUrl, toolPackId: organization.toolPackId, registeredUserId: id })
  const headers = { authorization: `Bearer ${organization.testKey}` }
  return {
    id,
    mcpUrl: url,
    headers,
    accounts,
    callTool: async (name, args = {}) => {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          ...headers,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name, arguments: args },
        }),
      })
      const { result, error } = (await response.json()) as { result?: ToolResult; error?: object }
      if (!result) throw new Error(`The call of ${name} failed: ${JSON.stringify(error)}`)
      return result
    },
  }
}
