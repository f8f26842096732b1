import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { installMcpServers } from './mcp-servers.ts'

const SUITE = 'node_modules/@modelcontextprotocol/conformance/dist/index.js'
const CLIENT = join(import.meta.dirname, 'mcp-conformance-client.ts')
const SCENARIO_TIMEOUT = 600_000
const WHOLE_TIMEOUT = 1_500_000

export type Judgement = { passed: boolean; output: string }

const run = async (args: string[], timeout: number): Promise<{ code: number | null; output: string }> => {
  const folder = await installMcpServers()
  const child = spawn(process.execPath, [SUITE, ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout,
  })
  let output = ''
  child.stdout.on('data', chunk => (output += String(chunk)))
  child.stderr.on('data', chunk => (output += String(chunk)))
  const code = await new Promise<number | null>(resolve => child.once('close', resolve))
  return { code, output }
}

/** One scenario of the official conformance suite, against our client. */
export const judgeClient = async (scenario: string, revision: string): Promise<Judgement> => {
  const command = `${process.execPath} ${CLIENT}`
  const { output } = await run(
    ['client', '--command', command, '--scenario', scenario, '--spec-version', revision, '--verbose'],
    SCENARIO_TIMEOUT,
  )
  return { passed: /OVERALL: PASSED/.test(output), output }
}

/** Everything that a revision requires of a server; what is known to fail must fail, and nothing else may. */
export const judgeServer = async (
  url: string,
  revision: string,
  expectedFailures: string,
): Promise<Judgement> => {
  const { code, output } = await run(
    ['server', '--url', url, '--requirements', revision, '--expected-failures', expectedFailures],
    WHOLE_TIMEOUT,
  )
  return { passed: code === 0, output }
}
