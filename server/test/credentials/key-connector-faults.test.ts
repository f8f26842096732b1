import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createSupportBundle } from '../../src/features/diagnostics/support-bundle.ts'
import { exportToMemory } from '../support/archives.ts'
import { createBrowserUser, type Page } from '../support/browser-user.ts'
import { IDENTITIES } from '../support/key-connectors/identities.ts'
import { OTHER_KEYS, RSA, serviceAccountFile } from '../support/key-connectors/keys.ts'
import { type RunningVendor, runVendor } from '../support/key-connectors/running-vendor.ts'
import { WRONG_SECRET } from '../support/key-connectors/vendor-stand-in.ts'
import { SECRET, TOKEN, VENDORS } from '../support/key-connectors/vendors.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

type Representative = {
  /** The origins that the connector file names. */
  origins: string[]
  tool: string
  args?: Record<string, unknown>
  /** What a person enters, if it is not the fields of the vendor's table. */
  entered?: (key: string) => Record<string, string>
}

/** One connector for each way of making a token. */
const REPRESENTATIVES: Record<string, Representative> = {
  databricks: { origins: ['https://{tenant.workspace}'], tool: 'list_clusters' },
  'github-app': { origins: ['https://api.github.com'], tool: 'list_repositories' },
  'google-workspace-directory': {
    origins: ['https://oauth2.googleapis.com', 'https://admin.googleapis.com'],
    tool: 'list_users',
    entered: key => ({ service_account: serviceAccountFile(key), admin_email: 'admin@acme.example' }),
  },
  // The client secret is part of the address.
  marketo: { origins: ['https://{tenant.munchkin_id}.mktorest.com'], tool: 'list_static_lists' },
  netsuite: {
    origins: ['https://{tenant.account}.suitetalk.api.netsuite.com'],
    tool: 'run_suiteql',
    args: { query: 'SELECT id FROM customer' },
  },
  snowflake: { origins: ['https://{tenant.account}.snowflakecomputing.com'], tool: 'list_databases' },
  tableau: { origins: ['https://{tenant.pod}'], tool: 'list_workbooks' },
}
const OTHER_RSA = OTHER_KEYS[RSA] as string

describe('connectors with keys and client credentials', () => {
  const vendors = new Map<string, RunningVendor>()
  const pages: Page[] = []
  const results: unknown[] = []
  let t: TestService
  before(async () => {
    for (const [slug, { origins }] of Object.entries(REPRESENTATIVES))
      vendors.set(slug, await runVendor(slug, origins))
    t = await startTestService('postgres', {
      CONNECTORS: `sandbox-notes ${[...vendors.keys()].join(' ')}`,
      STAND_INS: [...vendors.values()]
        .flatMap(({ origins, url }) => origins.map(origin => `${origin}=${url}`))
        .join(' '),
    })
  })
  after(async () => {
    await t.stop()
    for (const vendor of vendors.values()) vendor.stop()
  })

  /** What a person enters, with another key or secret if it is given. */
  const enteredAt = (slug: string, { isOther = false } = {}): Record<string, string> => {
    const { tenant = {}, fields } = VENDORS[slug] ?? { fields: {} }
    const { entered } = REPRESENTATIVES[slug] ?? {}
    const values = entered?.(isOther ? OTHER_RSA : RSA) ?? fields
    return {
      ...Object.fromEntries(Object.entries(tenant).map(([name, value]) => [`tenant.${name}`, value])),
      ...Object.fromEntries(
        Object.entries(values).map(([name, value]) => [
          name,
          isOther ? value.replace(SECRET, WRONG_SECRET).replace(RSA, OTHER_RSA) : value,
        ]),
      ),
    }
  }
  const submit = async (userId: string, slug: string, values: Record<string, string>): Promise<Page> => {
    const browser = createBrowserUser()
    const page = await browser.open((await t.mint(userId, { connector: slug })).magic_link_url)
    const shown = await browser.submit(page, /\/api-key$/, values)
    pages.push(page, shown)
    return shown
  }
  const link = async (slug: string): Promise<string> => {
    const { id } = await t.createUser()
    const done = await submit(id, slug, enteredAt(slug))
    assert.match(done.url, /\/done/, vendors.get(slug)?.problems.join())
    return id
  }
  const credentialOf = async (userId: string) =>
    (await t.call('GET', `/api/v1/registered-users/${userId}/credentials`)).body.data[0]
  const expire = (userId: string) =>
    t.query('update credentials set access_expires_at = app_now() where registered_user_id = $1', [userId])
  const call = async (userId: string, slug: string) => {
    const { tool, args = {} } = REPRESENTATIVES[slug] as Representative
    const { result } = (await t.mcp(userId, 'tools/call', { name: `${slug}__${tool}`, arguments: args })).body
    results.push(result)
    return result
  }

  for (const slug of Object.keys(REPRESENTATIVES)) {
    const issues = VENDORS[slug]?.exchange !== undefined
    const isFinal = VENDORS[slug]?.wrong?.isFinal ?? true

    describe(slug, () => {
      const vendor = () => vendors.get(slug) as RunningVendor

      it('is linked with what its form asks for, shows its account, and is called', async () => {
        const { tokenRequests } = vendor()
        const userId = await link(slug)
        assert.equal(vendor().tokenRequests - tokenRequests, issues ? 1 : 0)
        const { method, account, status } = await credentialOf(userId)
        assert.deepEqual([method, account, status], ['token_request', IDENTITIES[slug]?.account, 'active'])
        assert.notEqual((await call(userId, slug)).isError, true)
        assert.equal(vendor().tokenRequests - tokenRequests, issues ? 1 : 0)
        assert.deepEqual(vendor().problems, [])
      })

      it('says in the form that a valid key or secret is not the right one', async () => {
        const { id } = await t.createUser()
        const shown = await submit(id, slug, enteredAt(slug, { isOther: true }))
        assert.match(shown.html, /did not accept these credentials/)
        assert.equal(await credentialOf(id), undefined)
      })

      it('makes one token for three calls at once after it has expired', async () => {
        const userId = await link(slug)
        await expire(userId)
        const { tokenRequests } = vendor()
        if (issues) vendor().replies.push({ delayMs: 300 })
        const answers = await Promise.all([call(userId, slug), call(userId, slug), call(userId, slug)])
        for (const answer of answers) assert.notEqual(answer.isError, true)
        assert.equal(vendor().tokenRequests - tokenRequests, issues ? 1 : 0)
      })

      if (issues) {
        it('replaces a token once that ends earlier than stated', async () => {
          const userId = await link(slug)
          const { tokenRequests } = vendor()
          vendor().validTokens.clear()
          assert.notEqual((await call(userId, slug)).isError, true)
          assert.equal(vendor().tokenRequests - tokenRequests, 1)
          assert.equal((await credentialOf(userId)).status, 'active')
        })

        it('keeps the account while the token endpoint fails, or answers 200 with an error', async () => {
          for (const reply of [
            { status: 500 },
            { body: { error: 'temporarily_locked', message: 'locked' } },
          ]) {
            const userId = await link(slug)
            await expire(userId)
            vendor().replies.push(reply, reply)
            assert.equal((await call(userId, slug)).isError, true)
            assert.equal((await credentialOf(userId)).status, 'active')
            vendor().replies.length = 0
            assert.notEqual((await call(userId, slug)).isError, true)
          }
        })
      }

      it('after a rotation at the vendor, the account is linked again with the new key or secret', async () => {
        const userId = await link(slug)
        await expire(userId)
        vendor().known = { secret: WRONG_SECRET, privateKey: OTHER_RSA }
        try {
          const answer = await call(userId, slug)
          const { status } = await credentialOf(userId)
          if (issues && isFinal) {
            assert.equal(answer.structuredContent.type, 'authenticate_meta')
            assert.equal(status, 'needs_reauth')
          } else {
            assert.equal(answer.isError, true)
            assert.equal(status, 'active')
          }
          assert.match((await submit(userId, slug, enteredAt(slug, { isOther: true }))).url, /\/done/)
          assert.notEqual((await call(userId, slug)).isError, true)
        } finally {
          vendor().known = {}
        }
      })

      if (VENDORS[slug]?.jwt)
        it('keeps the account while the clock of the vendor is behind, and then calls again', async () => {
          const userId = await link(slug)
          vendor().clockAheadMs = -600_000
          assert.equal((await call(userId, slug)).isError, true)
          assert.equal((await credentialOf(userId)).status, 'active')
          vendor().clockAheadMs = 0
          assert.notEqual((await call(userId, slug)).isError, true)
        })
    })
  }

  it('no key, secret or token is in a log, an event, a result, a page, a row, an export or the support bundle', async () => {
    const canaries = [
      SECRET,
      WRONG_SECRET,
      TOKEN,
      ...[RSA, OTHER_RSA].map(pem => pem.split('\n')[2] as string),
    ].flatMap(text => [text, ...(['base64', 'hex'] as const).map(form => Buffer.from(text).toString(form))])
    const tables = await t.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema')`,
    )
    const rows = await Promise.all(
      tables.map(async ({ name }) =>
        JSON.stringify(await t.query(`select row_to_json(x)::text as text from ${name} x`)),
      ),
    )
    const { features } = t.service
    const { bytes } = await exportToMemory(features, t.organization.id)
    const users = (await t.call('GET', '/api/v1/registered-users?limit=100')).text
    const sinks = {
      rows: rows.join(''),
      logs: t.logLines.join('\n'),
      events: JSON.stringify(await t.events()),
      results: JSON.stringify(results),
      pages: pages.map(page => page.html).join('\n'),
      export: bytes.toString('latin1'),
      users,
      'support bundle': await createSupportBundle({
        version: '0.1.0',
        config: null,
        db: features.db,
        findings: [],
        secrets: [],
      }),
    }
    for (const [sink, content] of Object.entries(sinks)) {
      assert.ok(content.length > 500, sink)
      for (const canary of canaries) assert.ok(!content.includes(canary), `${canary.slice(0, 20)} in ${sink}`)
    }
  })
})
