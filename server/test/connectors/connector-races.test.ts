import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { HOUR } from '../../src/core/duration.ts'
import { hashToken } from '../../src/core/token.ts'
import { newUuid } from '../../src/core/uuid.ts'
import { redeemSecrets } from '../../src/features/credentials/pending-secrets.ts'
import { revokeDueTokens } from '../../src/features/credentials/revoke-tokens.ts'
import { registerAtSandbox, writeAcmeConnectors } from '../support/acme-connectors.ts'
import { consentAtSandbox, createBrowserUser, type Page } from '../support/browser-user.ts'
import { eventually } from '../support/eventually.ts'
import {
  callbackUrlOf,
  type HostileAuthorization,
  type StepHandler,
  sendJson,
  startHostileAuthorization,
} from '../support/hostile-authorization.ts'
import { type PlainMcp, startPlainMcp } from '../support/plain-mcp.ts'
import { type Answer, startTestService, type TestService } from '../support/test-service.ts'

let slugs = 0
const newSlug = () => `raced-${++slugs}`
const APP = '/api/v1/connectors/acme-notes/oauth-app'

/** Holds back a response until the test opens the gate. */
const gate = () => {
  const arrived = Promise.withResolvers<void>()
  const opened = Promise.withResolvers<void>()
  return {
    arrived: arrived.promise,
    open: opened.resolve,
    hold:
      (answer: StepHandler): StepHandler =>
      (request, response) => {
        arrived.resolve()
        void opened.promise.then(() => answer(request, response))
      },
  }
}
const statuses = (answers: Answer[]): string =>
  answers
    .map(({ status }) => String(status))
    .toSorted()
    .join(' ')
const token = (name: string, more: object = {}): StepHandler => {
  const body = {
    access_token: `access-${name}`,
    refresh_token: `refresh-${name}`,
    token_type: 'Bearer',
    ...more,
  }
  return (_, response) => sendJson(response, body)
}
const listed = (...names: string[]): StepHandler => {
  const tools = names.map(name => ({ name, description: name, inputSchema: { type: 'object' } }))
  return (request, response) =>
    sendJson(response, {
      jsonrpc: '2.0',
      id: (JSON.parse(request.body) as { id: unknown }).id,
      result: { tools },
    })
}

describe('connectors, OAuth apps and credentials that change during use', () => {
  const acme = writeAcmeConnectors()
  let t: TestService
  let provider: HostileAuthorization
  let otherProvider: HostileAuthorization
  let plain: PlainMcp
  before(async () => {
    t = await startTestService('postgres', { CONNECTORS_DIRECTORY: acme.folder })
    provider = await startHostileAuthorization()
    otherProvider = await startHostileAuthorization()
    plain = await startPlainMcp()
  })
  after(async () => {
    await t.stop()
    await Promise.all([provider.stop(), otherProvider.stop(), plain.stop()])
    acme.remove()
  })
  beforeEach(() => {
    provider.reset()
    otherProvider.reset()
    plain.requiredHeader = null
    plain.tools = [{ name: 'look', description: 'Looks.' }]
  })

  const at = (slug: string, rest = '') => `/api/v1/connectors/${slug}${rest}`
  const add = (body: Record<string, unknown>): Promise<Answer> =>
    t.call('POST', '/api/v1/connectors', { body: { name: 'Theirs', ...body } })
  const added = async (body: Record<string, unknown>): Promise<any> => {
    const answer = await add({ slug: newSlug(), ...body })
    assert.equal(answer.status, 201, answer.text)
    return answer.body
  }
  const remove = async (slug: string) => assert.equal((await t.call('DELETE', at(slug))).status, 204)
  const stored = async (userId: string) =>
    (await t.call('GET', `/api/v1/registered-users/${userId}/credentials`)).body.data
  const receipts = async (userId: string) =>
    (await t.call('GET', `/api/v1/registered-users/${userId}/revocations`)).body.data
  const run = async (userId: string, name: string) =>
    (await t.mcp(userId, 'tools/call', { name, arguments: {} })).body.result
  const consentOf = async (slug: string) => {
    const user = await t.createUser()
    const browser = createBrowserUser()
    const page = await browser.open((await t.mint(user.id, { connector: slug })).magic_link_url)
    return { user, browser, page, start: () => browser.submit(page, /\/start$/) }
  }
  const link = async (slug: string) => {
    const { user, browser, start } = await consentOf(slug)
    return { user, browser, page: await start() }
  }
  const configureApp = async (path = APP) => {
    const { redirect_uri } = (await t.call('GET', path)).body
    const client = await registerAtSandbox(t.sandbox.url, redirect_uri)
    assert.equal((await t.call('PUT', path, { body: client })).status, 200)
    return client
  }
  const isPage = (page: Page, status: number, label: string) => {
    assert.equal(page.status, status, `${label}: ${page.title}`)
    assert.match(page.html, /<h1/, label)
  }
  const crashes = () => t.logLines.filter(line => /unexpected error|does_not_open|"level":"fatal"/.test(line))
  const assertNoCrashes = () => assert.deepEqual(crashes(), [])

  describe('a custom connector', () => {
    it('concurrent creation with one slug creates one connector', async () => {
      const slug = newSlug()
      const answers = await Promise.all(Array.from({ length: 5 }, () => add({ slug, url: provider.url })))
      assert.equal(statuses(answers), '201 409 409 409 409')
      const rows = await t.query('select context from oauth_apps where connector_slug = $1', [slug])
      assert.equal(rows.length, 1)
      const { redirect_uri } = (await t.call('GET', at(slug))).body
      assert.ok(redirect_uri.endsWith(rows[0].context))
      assert.match((await link(slug)).page.url, /\/done/)
    })

    it('concurrent creation does not exceed the limit', async () => {
      const { id, key } = await t.createOrganization('Full')
      await t.query(
        `insert into mcp_connectors (organization_id, id, slug, name, summary, source, url, authentication, header_name, header_prefix, tool_changes)
         select $1, gen_random_uuid(), 'full-' || n, 'Full', 'Full', 'custom', $2, 'none', 'authorization', 'Bearer ', 'review'
         from generate_series(1, 99) n`,
        [id, plain.url],
      )
      const answers = await Promise.all(
        [1, 2, 3, 4].map(n =>
          t.call('POST', '/api/v1/connectors', {
            key,
            body: { slug: `one-more-${n}`, name: 'One more', url: plain.url },
          }),
        ),
      )
      assert.equal(answers.filter(({ status }) => status === 201).length, 1)
      const refusals = answers.filter(({ status }) => status !== 201).map(({ body }) => body.error.code)
      assert.deepEqual(new Set(refusals), new Set(['connector_limit_reached']))
    })

    it('removed before or during authorization: the flow ends with a page and stores nothing', async () => {
      const early = await added({ url: provider.url })
      const first = await consentOf(early.slug)
      await remove(early.slug)
      isPage(await first.browser.open(first.page.url), 410, 'opened again')
      isPage(await first.start(), 410, 'started')
      assert.deepEqual(provider.requestsTo('authorize'), [])

      const late = await added({ url: provider.url })
      let back = ''
      provider.handlers.authorize = (request, response) => {
        back = callbackUrlOf(request, { iss: provider.origin })
        response.end('later')
      }
      const { user, browser } = await link(late.slug)
      await remove(late.slug)
      const returned = await browser.open(back)
      isPage(returned, 200, 'returned')
      assert.match(returned.url, /outcome=error/)
      const eventTypes = (await t.events(user.id)).map(({ type }) => type)
      assert.ok(eventTypes.includes('link.failed'), eventTypes.join())
      assert.deepEqual(provider.requestsTo('token'), [], 'the code is not redeemed')
      assert.deepEqual(await stored(user.id), [])
      assertNoCrashes()
    })

    it('slug reassigned during authorization: the new server does not receive the code', async () => {
      const { slug } = await added({ url: provider.url })
      let back = ''
      provider.handlers.authorize = (request, response) => {
        back = callbackUrlOf(request, { iss: provider.origin })
        response.end('later')
      }
      const { user, browser } = await link(slug)
      await remove(slug)
      otherProvider.metadata = { authorization_response_iss_parameter_supported: false }
      await added({ slug, url: otherProvider.url })
      const parameters = new URL(back)
      parameters.searchParams.delete('iss')
      await browser.open(parameters.href)
      assert.deepEqual(otherProvider.requestsTo('token'), [])
      assert.deepEqual(await stored(user.id), [])
      assertNoCrashes()
    })

    it('slug reassigned while a code is redeemed: the new server does not receive the token', async () => {
      const { slug } = await added({ url: provider.url })
      const held = gate()
      provider.handlers.token = held.hold(token('of-previous-server'))
      const linking = link(slug)
      await held.arrived
      await remove(slug)
      await added({ slug, url: otherProvider.url })
      held.open()
      const { user, page } = await linking
      assert.match(page.url, /outcome=error/)
      assert.ok(
        !otherProvider.requests.some(({ headers }) => headers.authorization?.includes('of-previous-server')),
      )
      assert.deepEqual(await stored(user.id), [])
      assertNoCrashes()
    })

    it('removed while a link completes: no credential remains, for OAuth and for a secret', async () => {
      const { slug } = await added({ url: provider.url })
      const grant = {
        access_token: 'access-for-nothing',
        refresh_token: 'refresh-for-nothing',
        token_type: 'Bearer',
      }
      provider.handlers.token = (_, response) => sendJson(response, grant)
      const held = gate()
      provider.handlers['mcp:tools/list'] = held.hold(listed('look'))
      const linking = link(slug)
      await held.arrived
      await remove(slug)
      held.open()
      const { user, page } = await linking
      assert.doesNotMatch(page.url, /\/done/)
      assert.match(page.html, /<h1/)
      assert.deepEqual(
        (await stored(user.id)).filter((one: any) => one.status === 'active'),
        [],
      )
      await revokeDueTokens(t.service.features)
      const ended = () =>
        provider.requestsTo('revoke').filter(({ body }) => body.includes('refresh-for-nothing'))
      await eventually(async () =>
        assert.equal(ended().length, 1, 'the unused grant is revoked at the provider'),
      )

      const keyed = await added({ url: provider.url, authentication: 'user_secret' })
      const again = gate()
      provider.handlers['mcp:tools/list'] = again.hold(listed('look'))
      const { user: other, browser, page: form } = await consentOf(keyed.slug)
      const submitting = browser.submit(form, /\/api-key$/, { secret: 'mine-alone' })
      await again.arrived
      await remove(keyed.slug)
      again.open()
      assert.doesNotMatch((await submitting).url, /\/done/)
      // A new server with the same slug must not receive the secret entered for the previous one.
      await added({ slug: keyed.slug, url: otherProvider.url, authentication: 'user_secret' })
      await run(other.id, `authenticate_${keyed.slug}`)
      assert.deepEqual(
        (await stored(other.id)).filter((one: any) => one.status === 'active'),
        [],
      )
      assertNoCrashes()
    })

    it('form: a secret entered for one server is not sent to another one that took its slug', async () => {
      const { slug } = await added({ url: provider.url, authentication: 'user_secret' })
      const { user, browser, page } = await consentOf(slug)
      assert.match(page.html, new RegExp(`Server: <bdi>${new URL(provider.url).host}</bdi>`))
      await remove(slug)
      await added({ slug, url: otherProvider.url, authentication: 'user_secret' })
      const refused = await browser.submit(page, /\/api-key$/, { secret: 'for-the-first' })
      assert.equal(refused.status, 422)
      assert.match(refused.html, /now runs on another server, so nothing was sent/)
      assert.match(refused.html, new RegExp(`Server: <bdi>${new URL(otherProvider.url).host}</bdi>`))
      const leaked = ({ requests }: HostileAuthorization) =>
        requests.some(({ headers }) => JSON.stringify(headers).includes('for-the-first'))
      assert.deepEqual([provider, otherProvider].map(leaked), [false, false])
      assert.deepEqual(await stored(user.id), [])
      const linked = await browser.submit(refused, /\/api-key$/, { secret: 'for-the-second' })
      assert.match(linked.url, /\/done/)
      const { slug: signIn } = await added({ url: provider.url })
      const consent = await consentOf(signIn)
      await remove(signIn)
      await added({ slug: signIn, url: otherProvider.url })
      const again = await consent.browser.submit(consent.page, /\/start$/)
      assert.deepEqual([again.status, /another server/.test(again.html)], [422, true])
      assertNoCrashes()
    })

    it('removed while codes are pending or being redeemed: none becomes an active credential', async () => {
      await t.allowOrigin('https://app.example.com')
      const { slug } = await added({ url: provider.url })
      const codes = await Promise.all(
        Array.from({ length: 6 }, async () => {
          const user = await t.createUser()
          const browser = createBrowserUser()
          const body = { connector: slug, callback_url: 'https://app.example.com/x', state: 's' }
          await browser.submit(await browser.open((await t.mint(user.id, body)).magic_link_url), /\/start$/)
          return new URL(browser.lastLocation as string).searchParams.get('code')
        }),
      )
      const confirm = (code: string | null | undefined) =>
        t.call('POST', '/api/v1/link-token/confirm', { body: { code } })
      const [removed, ...confirmed] = await Promise.all([
        t.call('DELETE', at(slug)),
        ...codes.slice(1).map(confirm),
      ])
      assert.equal(removed?.status, 204)
      assert.ok(confirmed.every(({ status }) => status === 200 || status === 400))
      assert.equal((await confirm(codes[0])).status, 400)
      const active = `select 1 from credentials where connector_slug = $1 and status = 'active'`
      assert.deepEqual(await t.query(active, [slug]), [])
      assert.deepEqual(await t.query('select 1 from pending_secrets where connector_slug = $1', [slug]), [])
      assertNoCrashes()
    })

    it('removed while a code is being redeemed: the resulting credential is revoked', async () => {
      const { slug } = await added({ url: provider.url })
      const user = await t.createUser()
      const browser = createBrowserUser()
      const body = { connector: slug, callback_url: 'https://app.example.com/x', state: 's' }
      await browser.submit(await browser.open((await t.mint(user.id, body)).magic_link_url), /\/start$/)
      const code = new URL(browser.lastLocation as string).searchParams.get('code') as string
      let removing: Promise<void> | undefined
      const { id: organizationId } = t.organization
      await t.service.features.db.transaction(async tx => {
        const [redeemed] = await redeemSecrets(
          tx,
          [
            {
              organizationId,
              codeHash: hashToken(code as never),
              mode: 'production',
              registeredUserId: null,
              candidateId: newUuid(),
            },
          ],
          [],
        )
        assert.ok(redeemed)
        removing = remove(slug)
        await delay(150)
      })
      await removing
      assert.deepEqual(
        (await stored(user.id)).map((one: any) => [one.status, one.status_reason]),
        [['revoked', 'connector_removed']],
      )
    })

    it('recreated with the same slug and client: no token is sent to the previous server', async () => {
      const client = { client_id: 'by-hand', client_secret: 'by-hand-secret' }
      const earlier = await added({ url: provider.url, ...client })
      await remove(earlier.slug)
      const recreated = await added({ slug: earlier.slug, url: otherProvider.url, ...client })
      assert.notEqual(recreated.redirect_uri, earlier.redirect_uri)
      const { user, page } = await link(recreated.slug)
      assert.match(page.url, /\/done/)
      assert.equal(
        new URLSearchParams(otherProvider.requestsTo('token')[0]?.body).get('redirect_uri'),
        recreated.redirect_uri,
      )
      await t.moveClock(2 * HOUR)
      assert.equal((await run(user.id, `${recreated.slug}__look`)).isError, false)
      assert.deepEqual(provider.requestsTo('token'), [])
      assert.equal(otherProvider.requestsTo('token').length, 2)
    })

    it('removed during a call: the call completes and the next one is rejected', async () => {
      const { slug } = await added({ url: provider.url })
      const { user } = await link(slug)
      const held = gate()
      provider.handlers['mcp:tools/call'] = held.hold((request, response) =>
        sendJson(response, {
          jsonrpc: '2.0',
          id: (JSON.parse(request.body) as { id: unknown }).id,
          result: { content: [{ type: 'text', text: 'called' }] },
        }),
      )
      const calling = run(user.id, `${slug}__look`)
      await held.arrived
      await remove(slug)
      held.open()
      assert.equal((await calling).isError, false)
      assert.equal((await run(user.id, `${slug}__look`)).structuredContent.error.code, 'tool_not_found')
    })

    it('concurrent updates keep all changes', async () => {
      plain.requiredHeader = ['authorization', 'Bearer one']
      const { slug } = await added({ url: plain.url, authentication: 'organization_secret', secret: 'one' })
      plain.requiredHeader = ['authorization', 'Bearer two']
      for (let round = 0; round < 5; round++) {
        await t.call('PATCH', at(slug), { body: { secret: 'one' } })
        await Promise.all([
          t.call('PATCH', at(slug), { body: { secret: 'two' } }),
          ...['a', 'b', 'c'].map(name => t.call('PATCH', at(slug), { body: { name } })),
          t.call('PATCH', at(slug), { body: { summary: `round ${round}` } }),
        ])
        const user = await t.createUser()
        assert.equal((await run(user.id, `${slug}__look`)).isError, false, `round ${round}`)
        assert.equal((await t.call('GET', at(slug))).body.summary, `round ${round}`)
      }
    })
  })

  describe('tools of a server', () => {
    it('discovered concurrently: the first list is pinned and the second one needs review', async () => {
      const { slug } = await added({ url: provider.url })
      const held = gate()
      provider.handlers['mcp:tools/list'] = held.hold(listed('look', 'steal'))
      const slow = link(slug)
      await held.arrived
      delete provider.handlers['mcp:tools/list']
      const quick = await link(slug)
      assert.match(quick.page.url, /\/done/)
      held.open()
      assert.match((await slow).page.url, /\/done/)
      const state = (await t.call('GET', at(slug, '/tools'))).body
      assert.deepEqual(
        state.tools.map(({ name }: any) => name),
        ['look'],
      )
      assert.deepEqual(state.pending?.added, ['steal'])
      const events = (await t.events()).filter(
        ({ type, payload }) => type === 'connector.tools_changed' && payload.connector_slug === slug,
      )
      assert.deepEqual(
        events.map(({ payload }) => payload.accepted),
        [false],
      )
    })

    it('accepted during a check: not proposed again, and no other change is accepted', async () => {
      const { slug } = await added({ url: plain.url })
      plain.tools = [{ name: 'look', description: 'Looks again.' }]
      const { pending } = (await t.call('POST', at(slug, '/tools/check'))).body
      const accept = () => t.call('POST', at(slug, '/tools/accept'), { body: { hash: pending.hash } })
      const check = () => t.call('POST', at(slug, '/tools/check'))
      const answers = await Promise.all([check(), accept(), check(), accept(), check()])
      assert.ok(
        answers.every(({ status }) => status === 200 || status === 409),
        answers.map(a => a.text).join(),
      )
      const state = (await t.call('GET', at(slug, '/tools'))).body
      assert.deepEqual([state.tools_hash, state.pending], [pending.hash, null])
      const events = (await t.events()).filter(
        ({ type, payload }) => type === 'connector.tools_changed' && payload.connector_slug === slug,
      )
      assert.equal(events.length, 1)
    })
  })

  describe('an OAuth app', () => {
    it('concurrent updates store one of them completely', async () => {
      const { redirect_uri } = (await t.call('GET', APP)).body
      const clients = await Promise.all(
        Array.from({ length: 4 }, () => registerAtSandbox(t.sandbox.url, redirect_uri)),
      )
      for (let round = 0; round < 4; round++) {
        await t.call('DELETE', APP)
        const answers = await Promise.all(clients.map(body => t.call('PUT', APP, { body })))
        assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
        const app = await t.service.features.apps.forLinking(t.organization.id, 'acme-notes')
        const client = clients.find(({ client_id }) => client_id === app?.clientId)
        assert.equal(app?.clientSecret?.reveal(), client?.client_secret, `round ${round}`)
      }
      assertNoCrashes()
    })

    it('removed during authorization: an error page; replaced: the attempt completes with its own client', async () => {
      await configureApp()
      const away = await consentOf('acme-notes')
      const signIn = await away.start()
      assert.equal((await t.call('DELETE', APP)).status, 204)
      const ended = await consentAtSandbox(away.browser, signIn)
      assert.match(ended.url, /outcome=error/)
      assert.match(ended.html, /<h1/)
      assert.deepEqual(await stored(away.user.id), [])
      isPage(await away.browser.open(away.page.url), 410, 'without any app')
      isPage(await away.start(), 410, 'started without any app')

      await configureApp()
      const second = await consentOf('acme-notes')
      const page = await second.start()
      await configureApp()
      assert.match(
        (await consentAtSandbox(second.browser, page)).url,
        /\/done/,
        'the attempt completes with its own client',
      )
      assert.equal((await run(second.user.id, 'acme-notes__list')).isError, false)
      assertNoCrashes()
    })

    it('removed during a refresh: the credential needs reauthorization', async () => {
      const path = '/api/v1/connectors/sandbox-notes/oauth-app'
      await configureApp(path)
      const { user, browser, start } = await consentOf('sandbox-notes')
      assert.match((await consentAtSandbox(browser, await start())).url, /\/done/)
      await t.moveClock(2 * HOUR)
      const release = t.sandbox.hold('token')
      const calling = run(user.id, 'sandbox-notes__list_notes')
      await eventually(async () => {
        const leased = 'select 1 from credentials where registered_user_id = $1 and lease_until is not null'
        assert.equal((await t.query(leased, [user.id])).length, 1)
      })
      const removed = await t.call('DELETE', path)
      release()
      const result = await calling
      assert.equal(removed.status, 204)
      assert.equal(result.structuredContent.type, 'authenticate_meta')
      const [credential] = await stored(user.id)
      assert.deepEqual([credential.status, credential.status_reason], ['needs_reauth', 'oauth_app_removed'])
      assertNoCrashes()
    })

    it('removed while a code is pending: its token is used until it expires and is not refreshed', async () => {
      await t.allowOrigin('https://later.example.com')
      const path = '/api/v1/connectors/sandbox-notes/oauth-app'
      await configureApp(path)
      const user = await t.createUser()
      const browser = createBrowserUser()
      const body = { connector: 'sandbox-notes', callback_url: 'https://later.example.com/x', state: 's' }
      const page = await browser.open((await t.mint(user.id, body)).magic_link_url)
      await consentAtSandbox(browser, await browser.submit(page, /\/start$/))
      const code = new URL(browser.lastLocation as string).searchParams.get('code')
      assert.equal((await t.call('DELETE', path)).status, 204)
      assert.equal((await t.call('POST', '/api/v1/link-token/confirm', { body: { code } })).status, 200)
      assert.equal((await run(user.id, 'sandbox-notes__list_notes')).isError, false)
      await t.moveClock(2 * HOUR)
      const meta = (await run(user.id, 'sandbox-notes__list_notes')).structuredContent
      assert.deepEqual([meta.type, meta.reason], ['authenticate_meta', 'expired'])
      assertNoCrashes()
    })

    it('a new client secret during a refresh: both the secret and the refreshed token are stored', async () => {
      const client = await configureApp()
      const { user, browser, start } = await consentOf('acme-notes')
      await consentAtSandbox(browser, await start())
      await t.moveClock(2 * HOUR)
      const [result, ...put] = await Promise.all([
        run(user.id, 'acme-notes__list'),
        ...Array.from({ length: 3 }, () => t.call('PUT', APP, { body: client })),
      ])
      assert.equal(result.isError, false)
      assert.ok(put.every(({ status }) => status === 200))
      assert.equal((await stored(user.id))[0].status, 'active')
    })
  })

  describe('a credential', () => {
    const linked = async () => {
      const { slug } = await added({ url: provider.url })
      const { user } = await link(slug)
      const [{ credential_id }] = await stored(user.id)
      return { slug, user, path: `/api/v1/registered-users/${user.id}/credentials/${credential_id}` }
    }

    it('deleted during a refresh: not reactivated, and the refreshed token is revoked too', async () => {
      const { slug, user, path } = await linked()
      await t.moveClock(2 * HOUR)
      const held = gate()
      provider.handlers.token = held.hold(token('late', { expires_in: 3600 }))
      const calling = run(user.id, `${slug}__look`)
      await held.arrived
      assert.equal((await t.call('DELETE', path)).status, 204)
      held.open()
      assert.equal((await calling).structuredContent.reason, 'revoked')
      const [credential] = await stored(user.id)
      assert.deepEqual([credential.status, credential.status_reason], ['revoked', 'deleted'])
      const rows = await t.query('select sealed from credentials where registered_user_id = $1', [user.id])
      assert.deepEqual(rows, [{ sealed: null }])
      await revokeDueTokens(t.service.features)
      // The revocation job of the service may run at the same time.
      await eventually(async () => {
        const revoked = provider
          .requestsTo('revoke')
          .map(({ body }) => new URLSearchParams(body).get('token'))
        assert.ok(revoked.includes('refresh-late'), revoked.join())
      })
    })

    it('deleted during a test stays revoked', async () => {
      const { user, path } = await linked()
      const held = gate()
      provider.handlers['mcp:tools/list'] = held.hold(listed('look'))
      const testing = t.call('POST', `${path}/test`)
      await held.arrived
      assert.equal((await t.call('DELETE', path)).status, 204)
      held.open()
      assert.equal((await testing).status, 200)
      assert.equal((await stored(user.id))[0].status, 'revoked')
      const again = await t.call('POST', `${path}/test`)
      assert.deepEqual([again.body.works, again.body.outcome], [false, 'revoked'])
    })

    it('concurrent deletion succeeds once, and concurrent jobs revoke it once', async () => {
      const { user, path } = await linked()
      provider.requests = []
      const answers = await Promise.all([1, 2, 3].map(() => t.call('DELETE', path)))
      assert.equal(statuses(answers), '204 404 404')
      await Promise.all([1, 2, 3].map(() => revokeDueTokens(t.service.features)))
      await eventually(async () => {
        const outcomes = (await receipts(user.id)).map(({ outcome }: any) => outcome)
        assert.deepEqual(outcomes, ['revoked'])
      })
      assert.equal(provider.requestsTo('revoke').length, 1)
    })
  })
})
