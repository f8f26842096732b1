import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createBrowserUser } from '../support/browser-user.ts'
import { writeConnectors } from '../support/listed-connectors.ts'
import { SCHEMES, type SignatureVendor, startSignatureVendor } from '../support/signature-vendor.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const names = Object.keys(SCHEMES) as (keyof typeof SCHEMES)[]

describe('accounts whose requests are signed with entered secrets', () => {
  let t: TestService
  const vendors = new Map<string, SignatureVendor>()
  let files: ReturnType<typeof writeConnectors>
  const seen: string[] = []
  before(async () => {
    for (const name of names) vendors.set(name, await startSignatureVendor(name, SCHEMES[name]))
    files = writeConnectors([...vendors.values()].map(({ connector }) => connector))
    t = await startTestService('postgres', { CONNECTORS_DIRECTORY: files.folder })
  })
  after(async () => {
    await t.stop()
    files.remove()
    for (const vendor of vendors.values()) vendor.stop()
  })

  const submit = async (userId: string, slug: string, entered: Record<string, string>) => {
    const browser = createBrowserUser()
    const page = await browser.open((await t.mint(userId, { connector: slug })).magic_link_url)
    const done = await browser.submit(page, /\/api-key$/, entered)
    seen.push(page.html, done.html)
    return done
  }
  const credentialsOf = async (userId: string) =>
    (await t.call('GET', `/api/v1/registered-users/${userId}/credentials`)).body.data
  const call = async (userId: string, tool: string, text = 'a b*(ü)') => {
    const { result } = (await t.mcp(userId, 'tools/call', { name: tool, arguments: { text } })).body
    seen.push(JSON.stringify(result))
    return result
  }

  for (const name of names) {
    const { entered, secrets } = SCHEMES[name]
    const slug = `signed-${name}`
    const vendor = () => vendors.get(name) as SignatureVendor
    const link = async () => {
      const user = await t.createUser()
      const done = await submit(user.id, slug, entered)
      assert.match(done.url, /\/done/, done.html)
      return user.id
    }

    it(`${name}: is linked, named and called with signed requests [credential.signed-requests]`, async () => {
      const userId = await link()
      const [credential] = await credentialsOf(userId)
      assert.deepEqual([credential.method, credential.account], ['signature', `${name} account`])
      for (const tool of ['read', 'write'])
        assert.equal((await call(userId, `${slug}__${tool}`)).isError, false, tool)
      assert.equal(vendor().requests.at(-1)?.body, '{"text":"a b*(ü)"}')
    })

    it(`${name}: is not linked with a wrong secret`, async () => {
      const user = await t.createUser()
      for (const [field, value] of Object.entries(entered).filter(([, text]) => secrets.includes(text))) {
        const done = await submit(user.id, slug, { ...entered, [field]: `${value}x` })
        assert.doesNotMatch(done.url, /\/done/, field)
      }
      assert.deepEqual(await credentialsOf(user.id), [])
    })

    it(`${name}: stays linked if the clock of the vendor differs`, async () => {
      const userId = await link()
      vendor().setClockAhead(20 * 60_000)
      const result = await call(userId, `${slug}__read`)
      vendor().setClockAhead(0)
      assert.equal(result.isError, true)
      const [credential] = await credentialsOf(userId)
      assert.equal(credential.status, 'active')
      assert.equal((await call(userId, `${slug}__read`)).isError, false)
    })

    it(`${name}: an attempt after a 503 gets a new signature`, async () => {
      const userId = await link()
      vendor().failNext(1)
      const earlier = vendor().requests.length
      assert.equal((await call(userId, `${slug}__read`)).isError, false)
      const [first, second] = vendor()
        .requests.slice(earlier)
        .map(({ headers }) => headers)
      assert.ok(first && second)
      assert.notDeepEqual([first.authorization, first['x-wsse']], [second.authorization, second['x-wsse']])
    })

    it(`${name}: a captured request cannot be repeated or changed`, async () => {
      await call(await link(), `${slug}__write`)
      const { method, url, headers, body } = vendor().requests.at(-1)!
      const { 'content-length': _, connection: __, ...sent } = headers as Record<string, string>
      const repeat = async (path: string, changed: string) => {
        const answer = await fetch(vendor().origin + path, { method, headers: sent, body: changed })
        return [answer.status, ((await answer.json()) as { message: string }).message]
      }
      assert.deepEqual(await repeat(url, body), [401, 'The nonce was used before.'])
      if (name === 'wsse') return // It covers neither address nor body.
      assert.deepEqual(await repeat(`${url}?a=1`, body), [401, 'The signature does not match.'])
      if (name === 'hmac')
        assert.deepEqual(await repeat(url, `${body} `), [401, 'The signature does not match.'])
    })
  }

  it('leaves no secret in logs, events, records, pages, results or requests [credential.signed-requests]', async () => {
    const tables = await t.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema')`,
    )
    const rows = await Promise.all(
      tables.map(async ({ name }) =>
        JSON.stringify(await t.query(`select row_to_json(x)::text as text from ${name} x`)),
      ),
    )
    const sinks = {
      rows: rows.join(''),
      log: t.logLines.join(''),
      seen: seen.join(''),
      events: JSON.stringify(await t.events()),
      requests: JSON.stringify([...vendors.values()].map(({ requests }) => requests)),
    }
    const canaries = Object.values(SCHEMES)
      .flatMap(({ secrets }) => secrets)
      .flatMap(text => [text, ...(['base64', 'hex'] as const).map(form => Buffer.from(text).toString(form))])
    for (const [sink, text] of Object.entries(sinks)) {
      assert.ok(text.length > 500, sink)
      for (const canary of canaries) assert.ok(!text.includes(canary), `${sink} contains ${canary}`)
    }
  })
})
