import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Client, createClient } from '@carabiner/sdk'
import type { Throwaway, ThrowawayOptions } from 'carabiner/testing'
import { createFaults, type Faults } from './faults.ts'
import type { LinkChoices, LinkResult } from './link/follow-link.ts'
import { type McpServer, type McpServerTool, startMcpServer } from './mcp/mcp-server.ts'
import { createSandboxControl, type SandboxControl } from './sandbox-control.ts'
import { type Clock, createClock } from './service/clock.ts'
import { createUsers, type LinkOptions, type NewUser, type TestUser } from './users.ts'

export type CarabinerOptions = {
  /** `in-process` (default), or `child`: in a process of its own. */
  mode?: 'in-process' | 'child' | undefined
  /** Settings of the service, as environment variables. The environment of the test is not used. */
  environment?: Readonly<Record<string, string>> | undefined
  /**
   * Where the prepared database is stored, so that the next start is faster. Default: `node_modules/.cache/carabiner` in the nearest
   * folder that has `node_modules`. `null`: nowhere.
   */
  cacheDirectory?: string | null | undefined
}

export type Carabiner = {
  baseUrl: string
  sandboxUrl: string
  organizationId: string
  /** The default Tool Pack, with all connectors. */
  toolPackId: string
  apiKeys: { test: string; production: string }
  /** A client with the test key. Its users are those of `user()` and `linkedUser()`. */
  client: Client
  /** A client with the production key, for settings such as callback origins and webhook endpoints. */
  admin: Client
  sandbox: SandboxControl
  faults: Faults
  clock: Clock
  /** Creates a user without a linked account. */
  user(user?: NewUser): Promise<TestUser>
  /** Creates a user and links an account of the sandbox through the pages of Link. */
  linkedUser(options: LinkOptions & NewUser): Promise<TestUser>
  /** Links another account of a user. */
  link(user: TestUser, options: LinkOptions): Promise<void>
  /** Follows a magic link, such as that of an `authenticate_meta`, as a user without JavaScript would. */
  followLink(url: string, choices?: LinkChoices & { user?: TestUser }): Promise<LinkResult>
  /** Starts an MCP server and adds it as a connector. Its tools are named `<slug>__<tool>`. */
  mcpServer(slug: string, tools: readonly McpServerTool[]): Promise<McpServer>
  /** The log of the service, to print when a test fails. It contains no secrets. */
  logs(): string
  stop(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts a Carabiner of its own for a test: service, embedded database and sandbox. Everything is deleted when it stops. */
export const startCarabiner = async (options: CarabinerOptions = {}): Promise<Carabiner> => {
  const lines: string[] = []
  const logs = () => lines.join('')
  const service = await startService(options, line => void lines.push(line)).catch((error: Error) => {
    throw new Error(`Carabiner did not start: ${error.message}\n${logs()}`, { cause: error })
  })
  return openCarabiner(service, logs)
}

const startService = async (
  { mode = 'in-process', environment, cacheDirectory = defaultCache() }: CarabinerOptions,
  onLog: (line: string) => void,
): Promise<Throwaway> => {
  const options: ThrowawayOptions = { environment, cacheDirectory, onLog }
  // The service is loaded only in the process that runs it.
  if (mode === 'in-process') return (await import('carabiner/testing')).startThrowaway(options)
  return (await import('./service/service-process.ts')).startServiceProcess(options)
}

const defaultCache = (): string => {
  const start = process.cwd()
  let folder = start
  while (!existsSync(join(folder, 'node_modules')) && dirname(folder) !== folder) folder = dirname(folder)
  const project = existsSync(join(folder, 'node_modules')) ? folder : start
  return join(project, 'node_modules', '.cache', 'carabiner')
}

const openCarabiner = (service: Throwaway, logs: () => string): Carabiner => {
  const { baseUrl, sandboxUrl, organization } = service
  const client = createClient({ apiKey: organization.testKey, baseUrl })
  const admin = createClient({ apiKey: organization.productionKey, baseUrl })
  const sandbox = createSandboxControl(sandboxUrl)
  const users = createUsers({ service, client, sandbox })
  const servers: McpServer[] = []
  let stopped: Promise<void> | undefined
  const stop = () =>
    (stopped ??= (async () => {
      await service.stop()
      await Promise.all(servers.map(server => server.close()))
    })())
  return {
    baseUrl,
    sandboxUrl,
    organizationId: organization.id,
    toolPackId: organization.toolPackId,
    apiKeys: { test: organization.testKey, production: organization.productionKey },
    client,
    admin,
    sandbox,
    faults: createFaults(sandbox, admin),
    clock: createClock(service),
    user: users.create,
    link: users.link,
    linkedUser: async options => {
      const user = await users.create(options)
      await users.link(user, options)
      return user
    },
    followLink: (url, choices = {}) => users.followLink(url, choices),
    mcpServer: async (slug, tools) => {
      const server = await startMcpServer(slug, tools)
      servers.push(server)
      await admin.mcpConnectors.create({ slug, name: slug, url: server.url, authentication: 'none' })
      return server
    },
    logs,
    stop,
    [Symbol.asyncDispose]: stop,
  }
}
