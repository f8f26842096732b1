import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { installOnDemand } from '../../../scripts/install-on-demand.ts'
import { freePort } from '../../../scripts/postgres-cluster.ts'

const SOURCE = join(import.meta.dirname, '../mcp-servers')

/** Other people's servers, installed the first time a test needs them. */
export const installMcpServers = (): Promise<string> => installOnDemand(SOURCE)

export type McpServerProcess = { url: string; port: number; stop(): Promise<void> }
export type Kind = 'everything' | 'oauth' | 'stateless' | 'dual'

const PACKAGES = 'node_modules/@modelcontextprotocol'

export const startMcpServer = async (kind: Kind, wantedPort?: number): Promise<McpServerProcess> => {
  const folder = await installMcpServers()
  const port = wantedPort ?? (await freePort())
  const commands: Record<Kind, string[]> = {
    everything: [`${PACKAGES}/server-everything/dist/index.js`, 'streamableHttp'],
    oauth: [`${PACKAGES}/sdk/dist/esm/examples/server/simpleStreamableHttp.js`, '--oauth', '--oauth-strict'],
    stateless: ['stateless-server.mjs'],
    dual: ['stateless-server.mjs', '--dual'],
  }
  const child = spawn(process.execPath, commands[kind], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      MCP_PORT: String(port),
      MCP_AUTH_PORT: String(await freePort()),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  await listening(child)
  return {
    port,
    url: `http://localhost:${port}${kind === 'stateless' || kind === 'dual' ? '/' : '/mcp'}`,
    stop: () =>
      new Promise(resolve => {
        child.once('exit', () => resolve())
        child.kill('SIGKILL')
      }),
  }
}

const listening = (child: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => {
    let output = ''
    const read = (chunk: Buffer) => {
      output += String(chunk)
      if (/MCP Streamable HTTP Server listening|^listening/m.test(output)) resolve()
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.once('exit', () => reject(new Error(`the MCP server ended: ${output}`)))
  })
