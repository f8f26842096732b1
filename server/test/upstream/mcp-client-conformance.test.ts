import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { runClientScenario } from '../support/mcp-conformance.ts'
import { installMcpServers } from '../support/mcp-servers.ts'

/** One scenario of the protocol and one of authorization; `npm run proof:mcp-client` runs every one. */
const SCENARIOS = [
  ['request-metadata', '2026-07-28'],
  ['auth/metadata-var3', '2026-07-28'],
] as const

before(installMcpServers)

test('the official suite finds that the client conforms', async () => {
  const judged = await Promise.all(
    SCENARIOS.map(([scenario, revision]) => runClientScenario(scenario, revision)),
  )
  for (const [at, { passed, output }] of judged.entries())
    assert.ok(passed, `${SCENARIOS[at]?.[0]}\n${output}`)
})
