import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../../../scripts/postgres-cluster.ts'

const SOURCE = join(import.meta.dirname, '../mcp-servers')
const CACHE = join(import.meta.dirname, '../../../.cache')

/** Other people's servers, installed the first time a test needs them, once for what is in their folder. */
export const installMcpServers = async (): Promise<string> => {
  const hash = createHash('sha256')
  for (const file of readdirSync(SOURCE).toSorted())
    hash.update(file).update(readFileSync(join(SOURCE, file)))
  const folder = join(CACHE, `mcp-servers-${hash.digest('hex').slice(0, 12)}`)
  if (existsSync(folder)) return folder
  mkdirSync(CACHE, { recursive: true })
  const draft = mkdtempSync(join(CACHE, 'mcp-servers-draft-'))
  try {
    cpSync(SOURCE, draft, { recursive: true })
    await promisify(execFile)('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: draft })
    renameSync(draft, folder)
  } catch (error) {
    // Another test file may have been quicker; then its folder stays.
    if (!existsSync(folder)) throw error
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
  return folder
}

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
