import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { compiledCode } from './compiled-code.ts'
import { eventually } from './eventually.ts'
import { installFolder } from './installed-folder.ts'

export const installMcpClients = () => installFolder('mcp-clients')

/** A program of `mcp-clients/`, which is one of other people's MCP clients with a thin layer that speaks with its test. */
export type McpClientProgram = {
  ask<T = any>(action: string, params?: unknown): Promise<T>
  /** What it told without being asked. */
  events: any[]
  until(event: string): Promise<any>
  stop(): Promise<void>
}

export type Reach = { address: string; key: string; environment?: Record<string, string> }

/** None of them may tell anybody that it runs. */
const QUIET = { MASTRA_TELEMETRY_DISABLED: '1', OPENAI_AGENTS_DISABLE_TRACING: '1', DO_NOT_TRACK: '1' }

export const startMcpClient = async (
  program: string,
  { address, key, environment = {} }: Reach,
): Promise<McpClientProgram> => {
  const { packages, programs } = await installMcpClients()
  const home = mkdtempSync(join(tmpdir(), 'carabiner-client-'))
  const child = spawn(process.execPath, [join(programs, `${program}.mjs`)], {
    cwd: packages,
    // Those that start a process of their own find this Node first.
    env: {
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      HOME: home,
      ...compiledCode,
      MCP_ADDRESS: address,
      MCP_KEY: key,
      ...QUIET,
      ...environment,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const exited = new Promise<void>(resolve => child.once('exit', () => resolve()))
  const waiting = new Map<number, PromiseWithResolvers<any>>()
  const events: any[] = []
  let output = ''
  let asked = 0
  child.stderr.on('data', chunk => (output += String(chunk)))
  createInterface({ input: child.stdout }).on('line', line => {
    const said = parse(line)
    if (said === null) output += `${line}\n`
    else if (said.event) events.push(said)
    else if (said.error) waiting.get(said.id)?.reject(Object.assign(new Error(), said.error))
    else waiting.get(said.id)?.resolve(said.value)
  })
  const until: McpClientProgram['until'] = event =>
    eventually(async () => {
      const told = events.find(candidate => candidate.event === event)
      if (told) return told
      throw new Error(`${program} did not tell "${event}": ${JSON.stringify(events)} ${output}`)
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
    ask: (action, params = {}) => {
      const id = ++asked
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
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** Some of the clients write lines of their own. */
const parse = (line: string): any => {
  try {
    return line.startsWith('{') ? JSON.parse(line) : null
  } catch {
    return null
  }
}
