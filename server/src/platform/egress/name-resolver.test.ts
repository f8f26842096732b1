import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type DnsServer, startDnsServer } from '../../../test/support/dns-server.ts'
import { createConnectLimit } from './connect-limit.ts'
import { createEgress, EgressError, standInForNetwork } from './egress.ts'
import { createNameResolver, type NameResolver } from './name-resolver.ts'

const HOUR_MS = 3_600_000

describe('the name resolver', () => {
  let dns: DnsServer
  let folder: string
  let create: (timeoutMs: number) => NameResolver
  before(async () => {
    dns = await startDnsServer({
      'public.example': '93.184.216.34',
      'inside.example': '10.0.0.7',
      'short.corp.example': '93.184.216.35',
    })
    folder = mkdtempSync(join(tmpdir(), 'carabiner-resolver-'))
    writeFileSync(join(folder, 'hosts'), '93.184.216.36 listed.example Alias # comment\n::2 listed.example\n')
    writeFileSync(join(folder, 'resolv.conf'), '# comment\nsearch corp.example\n')
    create = timeoutMs =>
      createNameResolver({
        servers: [dns.address],
        hostsFile: join(folder, 'hosts'),
        resolvConf: join(folder, 'resolv.conf'),
        timeoutMs,
      })
  })
  after(() => {
    dns.close()
    rmSync(folder, { recursive: true })
  })

  it('queries the name servers, and applies search domains to single labels only', async () => {
    const resolver = create(HOUR_MS)
    assert.deepEqual(await resolver.resolve('public.example'), ['93.184.216.34'])
    assert.deepEqual(await resolver.resolve('short'), ['93.184.216.35'])
    await assert.rejects(resolver.resolve('nothing.example'), { code: 'ENOTFOUND' })
    assert.ok(!dns.queries.includes('nothing.example.corp.example'))
  })

  it('reads /etc/hosts, and resolves localhost itself (RFC 6761)', async () => {
    const resolver = create(HOUR_MS)
    assert.deepEqual(await resolver.resolve('Listed.example'), ['93.184.216.36', '::2'])
    assert.deepEqual(await resolver.resolve('alias'), ['93.184.216.36'])
    assert.deepEqual(await resolver.resolve('app.localhost'), ['127.0.0.1', '::1'])
    assert.ok(!dns.queries.some(name => /listed|localhost/.test(name)))
  })

  it('rejects at its timeout and when the caller aborts', async () => {
    await assert.rejects(create(20).resolve('a.hang.example'), { name: 'TimeoutError' })
    const controller = new AbortController()
    const pending = create(HOUR_MS).resolve('b.hang.example', controller.signal)
    controller.abort(new Error('the caller has disconnected'))
    await assert.rejects(pending, /has disconnected/)
  })

  it('resolves names while many other queries hang', async () => {
    const resolver = create(HOUR_MS)
    const controller = new AbortController()
    const hanging = Array.from({ length: 60 }, (_, n) =>
      resolver.resolve(`n${n}.hang.example`, controller.signal).catch(() => 'aborted'),
    )
    // None of these queries ever ends, so the next one would hang if they occupied the same threads.
    assert.deepEqual(await resolver.resolve('public.example'), ['93.184.216.34'])
    controller.abort()
    assert.deepEqual(new Set(await Promise.all(hanging)), new Set(['aborted']))
  })

  it('an internal name and a missing one cause the same egress error', async () => {
    const egress = createEgress({ [standInForNetwork]: { resolver: create(HOUR_MS) } })
    const failure = async (host: string): Promise<unknown[]> => {
      const errors = await Promise.all([
        egress.mayCall(`https://${host}/`).catch((error: unknown) => error),
        egress.request({ url: `https://${host}/`, method: 'GET' }).catch((error: unknown) => error),
      ])
      return errors.map(error => {
        assert.ok(error instanceof EgressError)
        return [error.failure, error.message.replace(host, 'HOST')]
      })
    }
    assert.deepEqual(await failure('inside.example'), await failure('nothing.example'))
    await egress.close()
  })
})

describe('the connect limit', () => {
  it('limits one owner without delaying others', () => {
    const limit = createConnectLimit(2, 1)
    const started: string[] = []
    const ends: (() => void)[] = []
    const enter = (owner: string, name: string) =>
      limit.enter(owner, done => {
        started.push(name)
        ends.push(done)
      })
    enter('a', 'a1')
    enter('a', 'a2')
    enter('a', 'a3')
    assert.throws(() => enter('a', 'a4'), EgressError)
    enter('b', 'b1')
    assert.deepEqual(started, ['a1', 'a2', 'b1'])
    ends[0]?.()
    ends[0]?.()
    assert.deepEqual(started, ['a1', 'a2', 'b1', 'a3'])
    for (const end of ends) end()
    assert.equal(limit.owners(), 0)
  })
})
