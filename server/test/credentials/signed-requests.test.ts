import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { AWS_KEY, startAwsStandIn } from '../support/aws-stand-in.ts'
import { createBrowserUser } from '../support/browser-user.ts'
import { writeConnectors } from '../support/listed-connectors.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const SLUG = 'acme-cloud'
const TOOL = `${SLUG}__list_functions`

describe('an account whose requests are signed', () => {
  let t: TestService
  let standIn: Awaited<ReturnType<typeof startAwsStandIn>>
  let files: ReturnType<typeof writeConnectors>
  const pages: string[] = []
  before(async () => {
    standIn = await startAwsStandIn()
    files = writeConnectors([standIn.connector])
    t = await startTestService('postgres', { CONNECTORS_DIRECTORY: files.folder })
  })
  after(async () => {
    await t.stop()
    files.remove()
    standIn.stop()
  })

  const submit = async (userId: string, secretAccessKey: string) => {
    const browser = createBrowserUser()
    const page = await browser.open((await t.mint(userId, { connector: SLUG })).magic_link_url)
    const done = await browser.submit(page, /\/api-key$/, {
      access_key_id: AWS_KEY.id,
      secret_access_key: secretAccessKey,
    })
    pages.push(page.html, done.html)
    return done
  }
  const credentialsOf = async (userId: string) =>
    (await t.call('GET', `/api/v1/registered-users/${userId}/credentials`)).body.data
  const call = async (userId: string) =>
    (await t.mcp(userId, 'tools/call', { name: TOOL, arguments: { prefix: 'a b*' } })).body.result

  it('is linked by a form, named by a signed request, and called [credential.signed-requests]', async () => {
    const user = await t.createUser()
    assert.match((await submit(user.id, AWS_KEY.secret)).url, /\/done/)
    const [credential] = await credentialsOf(user.id)
    assert.deepEqual([credential.method, credential.account], ['aws_signature', '123456789012'])
    const result = await call(user.id)
    assert.equal(result.isError, false)
    assert.match(JSON.stringify(result), /functions/)
  })

  it('is not linked with a wrong key', async () => {
    const user = await t.createUser()
    assert.doesNotMatch((await submit(user.id, 'a-wrong-secret-access-key')).url, /\/done/)
    assert.deepEqual(await credentialsOf(user.id), [])
  })

  it('stays linked if the clock of the provider differs, and the error says the time of the provider', async () => {
    const user = await t.createUser()
    await submit(user.id, AWS_KEY.secret)
    standIn.setClockAhead(20 * 60_000)
    const result = await call(user.id)
    standIn.setClockAhead(0)
    assert.equal(result.isError, true)
    assert.match(JSON.stringify(result), /Signature expired: \d{8}T\d{6}Z is now earlier than/)
    const [credential] = await credentialsOf(user.id)
    assert.equal(credential.status, 'active')
    assert.equal((await call(user.id)).isError, false)
  })

  it('leaves its secret key in no log, event, record or page [credential.signed-requests]', async () => {
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
      pages: pages.join(''),
      events: JSON.stringify(await t.events()),
    }
    const forms = [
      AWS_KEY.secret,
      ...(['base64', 'hex'] as const).map(e => Buffer.from(AWS_KEY.secret).toString(e)),
    ]
    for (const [sink, text] of Object.entries(sinks)) {
      assert.ok(text.length > 500, sink)
      for (const form of forms) assert.ok(!text.includes(form), `${sink} contains the secret key`)
    }
    assert.ok(standIn.requests.length > 4)
    assert.ok(!JSON.stringify(standIn.requests).includes(AWS_KEY.secret))
  })
})
