import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { freePort } from '../../../scripts/postgres-cluster.ts'
import { compiledCode } from './compiled-code.ts'
import { eventually } from './eventually.ts'
import { type InstalledFolder, installFolder } from './installed-folder.ts'

/** Packages of third-party servers. */
export const installMcpServers = async (): Promise<string> => (await installFolder('mcp-servers')).packages

export type McpServerProcess = { url: string; port: number; stop(): Promise<void> }
export type Kind = 'everything' | 'oauth' | 'url-elicitation' | 'stateless' | 'dual' | 'filesystem' | 'notion'

const VENDOR_FOLDER = 'node_modules/@modelcontextprotocol'
const EXAMPLES = `${VENDOR_FOLDER}/sdk/dist/esm/examples/server`

const commandOf = (kind: Kind, { packages, programs }: InstalledFolder, port: number): string[] => {
  switch (kind) {
    case 'everything':
      return [`${VENDOR_FOLDER}/server-everything/dist/index.js`, 'streamableHttp']
    case 'oauth':
      return [`${EXAMPLES}/simpleStreamableHttp.js`, '--oauth', '--oauth-strict']
    case 'url-elicitation':
      return [`${EXAMPLES}/elicitationUrlExample.js`]
    case 'stateless':
      return [join(programs, 'stateless-server.mjs')]
    case 'dual':
      return [join(programs, 'stateless-server.mjs'), '--dual']
    case 'filesystem': {
      const server = [process.execPath, `${VENDOR_FOLDER}/server-filesystem/dist/index.js`, packages]
      const options = ['--server', 'stream', '--host', '127.0.0.1', '--port', String(port)]
      return ['node_modules/mcp-proxy/dist/bin/mcp-proxy.mjs', ...options, '--', ...server]
    }
    case 'notion': {
      const options = ['--transport', 'http', '--port', String(port), '--auth-token', NOTION_SECRET]
      return ['node_modules/@notionhq/notion-mcp-server/bin/cli.mjs', ...options]
    }
  }
}

/** Authenticates at the local Notion server. There is no secret for Notion itself. */
export const NOTION_SECRET = 'notion-server-secret'

export const startMcpServer = async (kind: Kind, wantedPort?: number): Promise<McpServerProcess> => {
  const installed = await installFolder('mcp-servers')
  const port = wantedPort ?? (await freePort())
  const child = spawn(process.execPath, commandOf(kind, installed, port), {
    cwd: installed.packages,
    env: {
      PATH: process.env.PATH,
      ...compiledCode,
      PORT: String(port),
      MCP_PORT: String(port),
      MCP_AUTH_PORT: String(await freePort()),
      NOTION_TOKEN: 'ntn_invalid',
      // Outbound connections are blocked: servers with a remote API fail immediately.
      HTTPS_PROXY: 'http://127.0.0.1:1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  await listening(child)
  // Some servers print that they listen shortly before they accept connections.
  await eventually(() => once(createConnection(port, 'localhost').end(), 'connect'))
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

const LISTENING_LINE = /MCP (Streamable HTTP )?Server listening|^listening|starting server on port/im

const listening = (child: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => {
    let output = ''
    const read = (chunk: Buffer) => {
      output += String(chunk)
      if (LISTENING_LINE.test(output)) resolve()
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.once('exit', () => reject(new Error(`the MCP server ended: ${output}`)))
  })
