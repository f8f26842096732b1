import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { compiledCode } from './compiled-code.ts'
import { eventually } from './eventually.ts'
import { installFolder } from './installed-folder.ts'

export const installMcpClients = () => installFolder('mcp-clients')

/** A program in `mcp-clients/`: a third-party MCP client with a thin layer that communicates with the test. */
export type McpClientProgram = {
  request<T = any>(action: string, params?: unknown): Promise<T>
  /** Unsolicited messages of the program. */
  events: any[]
  until(event: string): Promise<any>
  stop(): Promise<void>
}

export type ClientTarget = { address: string; key: string; environment?: Record<string, string> }

const NO_TELEMETRY = { MASTRA_TELEMETRY_DISABLED: '1', OPENAI_AGENTS_DISABLE_TRACING: '1', DO_NOT_TRACK: '1' }

export const startMcpClient = async (
  program: string,
  { address, key, environment = {} }: ClientTarget,
): Promise<McpClientProgram> => {
  const { packages, programs } = await installMcpClients()
  const home = mkdtempSync(join(tmpdir(), 'carabiner-client-'))
  const child = spawn(process.execPath, [join(programs, `${program}.mjs`)], {
    cwd: packages,
    // The same version of Node comes first in PATH, for clients that start processes.
    env: {
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      HOME: home,
      ...compiledCode,
      MCP_ADDRESS: address,
      MCP_KEY: key,
      ...NO_TELEMETRY,
      ...environment,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
    // A group of its own, so that the processes that a client starts can be ended with it.
    detached: true,
  })
  const exited = new Promise<void>(resolve => child.once('exit', () => resolve()))
  const waiting = new Map<number, PromiseWithResolvers<any>>()
  const events: any[] = []
  let output = ''
  let requests = 0
  child.stderr.on('data', chunk => (output += String(chunk)))
  createInterface({ input: child.stdout }).on('line', line => {
    const message = parse(line)
    if (message === null) output += `${line}\n`
    else if (message.event) events.push(message)
    else if (message.error) waiting.get(message.id)?.reject(Object.assign(new Error(), message.error))
    else waiting.get(message.id)?.resolve(message.value)
  })
  const until: McpClientProgram['until'] = event =>
    eventually(async () => {
      const found = events.find(candidate => candidate.event === event)
      if (found) return found
      throw new Error(`${program} did not send "${event}": ${JSON.stringify(events)} ${output}`)
    })
  const ended = exited.then(() => {
    const error = new Error(`${program} ended: ${output}`)
    for (const { reject } of waiting.values()) reject(error)
    throw error
  })
  ended.catch(() => undefined)
  await Promise.race([until('ready'), ended])
  return {
    events,
    until,
    request: (action, params = {}) => {
      const id = ++requests
      const answer = Promise.withResolvers<any>()
      waiting.set(id, answer)
      child.stdin.write(`${JSON.stringify({ id, action, params })}\n`)
      return answer.promise
    },
    stop: async () => {
      child.stdin.end()
      const hard = setTimeout(() => child.kill('SIGKILL'), 2000)
      await exited
      clearTimeout(hard)
      endGroup(child.pid)
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** mcp-remote goes on after the program that started it has ended. */
const endGroup = (pid: number | undefined): void => {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // No process of the group is left.
  }
}

/** Some clients also write other lines to standard output. */
const parse = (line: string): any => {
  try {
    return line.startsWith('{') ? JSON.parse(line) : null
  } catch {
    return null
  }
}
