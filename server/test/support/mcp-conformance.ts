import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { installMcpServers } from './mcp-servers.ts'

const SUITE = 'node_modules/@modelcontextprotocol/conformance/dist/index.js'
const CLIENT = join(import.meta.dirname, 'mcp-conformance-client.ts')
const SCENARIO_TIMEOUT_MS = 600_000
const SUITE_TIMEOUT_MS = 1_500_000

export type ConformanceResult = { passed: boolean; output: string }

const run = async (
  args: string[],
  timeout: number,
  onOutput: (output: string) => void = () => undefined,
): Promise<{ code: number | null; output: string }> => {
  const folder = await installMcpServers()
  const child = spawn(process.execPath, [SUITE, ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout,
  })
  let output = ''
  const collect = (chunk: unknown) => {
    output += String(chunk)
    onOutput(output)
  }
  child.stdout.on('data', collect)
  child.stderr.on('data', collect)
  const code = await new Promise<number | null>(resolve => child.once('close', resolve))
  return { code, output }
}

/** Runs one scenario of the official conformance suite against our client. */
export const runClientScenario = async (scenario: string, revision: string): Promise<ConformanceResult> => {
  const command = `${process.execPath} ${CLIENT}`
  const { output } = await run(
    ['client', '--command', command, '--scenario', scenario, '--spec-version', revision, '--verbose'],
    SCENARIO_TIMEOUT_MS,
  )
  return { passed: /OVERALL: PASSED/.test(output), output }
}

/** Runs all server scenarios of a revision. Exactly the known failures must fail. */
export const runServerScenarios = async (
  url: string,
  revision: string,
  expectedFailures: string,
): Promise<ConformanceResult> => {
  const { code, output } = await run(
    ['server', '--url', url, '--requirements', revision, '--expected-failures', expectedFailures],
    SUITE_TIMEOUT_MS,
  )
  return { passed: code === 0, output }
}

/** Runs one scenario of the extension for tasks. */
export const runTaskScenario = async (url: string, scenario: string): Promise<ConformanceResult> => {
  const { code, output } = await run(
    ['server', '--url', url, '--scenario', scenario, '--spec-version', '2026-07-28', '--force'],
    SCENARIO_TIMEOUT_MS,
  )
  return { passed: code === 0, output }
}

type AuthorizationServer = { issuer: string; clientId: string; resource: string; port: number }

/** Runs all scenarios for authorization servers. `signIn` gets the address that the suite prints for the person. */
export const runAuthorizationScenarios = async (
  { issuer, clientId, resource, port }: AuthorizationServer,
  signIn: (address: string) => void,
): Promise<ConformanceResult> => {
  let isSignedIn = false
  const { code, output } = await run(
    `authorization --url ${issuer} --client-id ${clientId} --resource ${resource} --port ${port}`.split(' '),
    SCENARIO_TIMEOUT_MS,
    printed => {
      const [address] = /https?:\/\/\S+\/authorize\?\S+(?=\s)/.exec(printed) ?? []
      if (isSignedIn || !address) return
      isSignedIn = true
      signIn(address)
    },
  )
  return { passed: code === 0, output }
}
