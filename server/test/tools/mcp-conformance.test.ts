import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { startConformanceFront } from '../support/conformance-front.ts'
import { type ConformanceUpstream, startConformanceUpstream } from '../support/conformance-upstream.ts'
import { runServerScenarios } from '../support/mcp-conformance.ts'
import { installMcpServers } from '../support/mcp-servers.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

/** Features that a tool gateway does not offer, each with the reason. The suite fails on an entry that passes. */
const expectedFailures = (revision: string) =>
  join(import.meta.dirname, '../conformance', `expected-failures-${revision}.yaml`)

let changes = 0
let t: TestService
let upstream: ConformanceUpstream
let front: { url: string; stop(): Promise<void> }

before(async () => {
  await installMcpServers()
  t = await joinTestService('postgres')
  upstream = await startConformanceUpstream()
  const added = await t.call('POST', '/api/v1/connectors', {
    body: { slug: 'suite', name: 'Suite', url: upstream.url },
  })
  assert.equal(added.status, 201, added.text)
  const user = await t.createUser()
  const address = `${t.baseUrl}/api/v1/tool-packs/${t.organization.toolPackId}/registered-users/${user.id}/mcp`
  // The suite triggers a change of the tool list, which is a change of the Tool Pack here.
  upstream.onTrigger(async () => {
    const body = {
      name: `Default ${Date.now()}`,
      connectors: ++changes % 2 ? ['suite', 'sandbox-notes'] : ['suite'],
    }
    const changed = await t.call('PUT', `/api/v1/tool-packs/${t.organization.toolPackId}`, { body })
    assert.equal(changed.status, 200, changed.text)
  })
  front = await startConformanceFront(`${address}?connectors=suite`, t.organization.key, 'suite')
})
after(async () => {
  await front?.stop()
  await upstream?.stop()
  await t?.stop()
})

for (const revision of ['2026-07-28', '2025-11-25'])
  test(`the official suite passes for ${revision}, except for features that the gateway does not offer`, async () => {
    const { passed, output } = await runServerScenarios(front.url, revision, expectedFailures(revision))
    assert.ok(passed, output)
  })
