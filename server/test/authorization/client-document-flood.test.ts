// oxlint-disable typescript/no-floating-promises -- node:test tracks the promises of `describe` and `test`
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { type DnsServer, startDnsServer } from '../support/dns-server.ts'
import { eventually } from '../support/eventually.ts'
import { createRawClient, resourceOf, type SignInService, startSignInService } from '../support/sign-in.ts'
import type { TestService } from '../support/test-service.ts'

/** More than the organization's connections that may be opened and wait at once. */
const REQUESTS = 190
const ATTACKER = '198.51.100.7'

describe('flood of client documents from one network, on hosts that never respond', () => {
  let t: TestService
  let stop: SignInService['stop']
  let dns: DnsServer
  before(async () => {
    dns = await startDnsServer({})
    ;({ t, stop } = await startSignInService({ TRUST_PROXY: 'loopback', DNS_SERVERS: dns.address }))
  })
  after(async () => {
    await stop?.()
    dns?.close()
  })

  test('is limited with 429, and the tool calls of the organization succeed meanwhile', async () => {
    const client = await createRawClient(t)
    const { id: userId } = await t.createUser()
    await linkNotes(createBrowserUser(), (await t.mint(userId)).magic_link_url)
    const flood = Promise.all(
      Array.from({ length: REQUESTS }, (_, n) =>
        t.call('GET', client.authorizeUrl({ client_id: `https://h${n}.hang.example/client` }), {
          key: null,
          headers: { 'x-forwarded-for': ATTACKER },
        }),
      ),
    )
    await eventually(async () => assert.ok(dns.queries.length > 0))
    const calls = await Promise.all(
      Array.from({ length: 8 }, () => t.mcp(userId, 'tools/call', { name: 'sandbox-notes__list_notes' })),
    )
    for (const { text, body } of calls) assert.notEqual(body.result?.isError ?? true, true, text)
    const statuses = new Set((await flood).map(({ status }) => status))
    assert.deepEqual(statuses, new Set([400, 429]))
    assert.ok(new Set(dns.queries).size <= 20, `looked up: ${new Set(dns.queries).size}`)
  })

  test('documents are not requested for another resource, nor without sign-in', async () => {
    const client = await createRawClient(t)
    const other = await t.createOrganization('Other')
    dns.queries.length = 0
    const client_id = 'https://unwanted.example/client'
    for (const url of [
      client.authorizeUrl({ client_id, resource: `${resourceOf(t)}x` }),
      client.authorizeUrl({ client_id, code_challenge: null }),
      client.authorizeUrl({ client_id, resource: resourceOf(t, other) }),
    ])
      assert.equal((await createBrowserUser().open(url)).status, 400, url)
    assert.deepEqual(dns.queries, [])
  })
})
