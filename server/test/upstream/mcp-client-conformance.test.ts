import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { runClientScenario } from '../support/mcp-conformance.ts'
import { installMcpServers } from '../support/mcp-servers.ts'

/** One scenario of the protocol and one of authorization; `npm run proof:mcp-client` runs all. */
const SCENARIOS = [
  ['request-metadata', '2026-07-28'],
  ['auth/metadata-var3', '2026-07-28'],
] as const

before(installMcpServers)

test('the MCP client passes the official conformance suite', async () => {
  const results = await Promise.all(
    SCENARIOS.map(([scenario, revision]) => runClientScenario(scenario, revision)),
  )
  for (const [at, { passed, output }] of results.entries())
    assert.ok(passed, `${SCENARIOS[at]?.[0]}\n${output}`)
})
