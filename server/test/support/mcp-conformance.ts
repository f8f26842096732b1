import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { installMcpServers } from './mcp-servers.ts'

const SUITE = 'node_modules/@modelcontextprotocol/conformance/dist/index.js'
const CLIENT = join(import.meta.dirname, 'mcp-conformance-client.ts')
const SCENARIO_TIMEOUT = 60_000

export type Judgement = { passed: boolean; output: string }

/** One scenario of the official conformance suite, against our client. */
export const judgeClient = async (scenario: string, revision: string): Promise<Judgement> => {
  const folder = await installMcpServers()
  const command = `${process.execPath} ${CLIENT}`
  const child = spawn(
    process.execPath,
    [SUITE, 'client', '--command', command, '--scenario', scenario, '--spec-version', revision, '--verbose'],
    { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], timeout: SCENARIO_TIMEOUT },
  )
  let output = ''
  child.stdout.on('data', chunk => (output += String(chunk)))
  child.stderr.on('data', chunk => (output += String(chunk)))
  await new Promise(resolve => child.once('close', resolve))
  return { passed: /OVERALL: PASSED/.test(output), output }
}
