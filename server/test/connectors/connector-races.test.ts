import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { HOUR } from '../../src/core/duration.ts'
import { hashToken } from '../../src/core/token.ts'
import { newUuid } from '../../src/core/uuid.ts'
import { redeemSecrets } from '../../src/features/credentials/pending-secrets.ts'
import { revokeDueTokens } from '../../src/features/credentials/revoke-tokens.ts'
import { registerAtSandbox, writeAcmeConnectors } from '../support/acme-connectors.ts'
import { eventually } from '../support/eventually.ts'
import {
  type StepHandler,
  callbackUrlOf,
  type HostileAuthorization,
  sendJson,
  startHostileAuthorization,
} from '../support/hostile-authorization.ts'
import { consentAtSandbox, createBrowserUser, type Page } from '../support/browser-user.ts'
import { type PlainMcp, startPlainMcp } from '../support/plain-mcp.ts'
import { type Answer, startTestService, type TestService } from '../support/test-service.ts'

let made = 0
const newSlug = () => `raced-${++made}`
const APP = '/api/v1/connectors/acme-notes/oauth-app'

/** Holds back an answer until the test lets it go. */
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

describe('connectors, apps and credentials that change while they are used', () => {
  const acme = writeAcmeConnectors()
  let t: TestService
  let theirs: HostileAuthorization
  let others: HostileAuthorization
  let plain: PlainMcp
  before(async () => {
    t = await startTestService('postgres', { CONNECTORS_DIRECTORY: acme.folder })
    theirs = await startHostileAuthorization()
    others = await startHostileAuthorization()
    plain = await startPlainMcp()
  })
  after(async () => {
    await t.stop()
    await Promise.all([theirs.stop(), others.stop(), plain.stop()])
    acme.remove()
  })
  beforeEach(() => {
    theirs.reset()
    others.reset()
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
  const giveApp = async (path = APP) => {
    const { redirect_uri } = (await t.call('GET', path)).body
    const client = await registerAtSandbox(t.sandbox.url, redirect_uri)
    assert.equal((await t.call('PUT', path, { body: client })).status, 200)
    return client
  }
  const isPage = (page: Page, status: number, what: string) => {
    assert.equal(page.status, status, `${what}: ${page.title}`)
    assert.match(page.html, /<h1/, what)
  }
  const crashes = () => t.logLines.filter(line => /unexpected error|does_not_open|"level":"fatal"/.test(line))
  const nothingBroke = () => assert.deepEqual(crashes(), [])

  describe('a connector of the organization’s own', () => {
    it('created twice at once exists once', async () => {
      const slug = newSlug()
      const answers = await Promise.all(Array.from({ length: 5 }, () => add({ slug, url: theirs.url })))
      assert.equal(statuses(answers), '201 409 409 409 409')
      const rows = await t.query('select context from oauth_apps where connector_slug = $1', [slug])
      assert.equal(rows.length, 1)
      const { redirect_uri } = (await t.call('GET', at(slug))).body
      assert.ok(redirect_uri.endsWith(rows[0].context))
      assert.match((await link(slug)).page.url, /\/done/)
    })

    it('is not created beyond the limit by requests at the same time', async () => {
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

    it('removed before the person goes on, or while the person is away, ends in a page and stores nothing', async () => {
      const early = await added({ url: theirs.url })
      const first = await consentOf(early.slug)
      await remove(early.slug)
      isPage(await first.browser.open(first.page.url), 410, 'opened again')
      isPage(await first.start(), 410, 'started')
      assert.deepEqual(theirs.requestsTo('authorize'), [])

      const late = await added({ url: theirs.url })
      let back = ''
      theirs.handlers.authorize = (request, response) => {
        back = callbackUrlOf(request, { iss: theirs.origin })
        response.end('later')
      }
      const { user, browser } = await link(late.slug)
      await remove(late.slug)
      const returned = await browser.open(back)
      isPage(returned, 200, 'returned')
      assert.match(returned.url, /outcome=error/)
      const told = (await t.events(user.id)).map(({ type }) => type)
      assert.ok(told.includes('link.failed'), told.join())
      assert.deepEqual(theirs.requestsTo('token'), [], 'the code is not needed any more')
      assert.deepEqual(await stored(user.id), [])
      nothingBroke()
    })

    it('whose slug was given to another server while the person is away sends no code there', async () => {
      const { slug } = await added({ url: theirs.url })
      let back = ''
      theirs.handlers.authorize = (request, response) => {
        back = callbackUrlOf(request, { iss: theirs.origin })
        response.end('later')
      }
      const { user, browser } = await link(slug)
      await remove(slug)
      others.metadata = { authorization_response_iss_parameter_supported: false }
      await added({ slug, url: others.url })
      const parameters = new URL(back)
      parameters.searchParams.delete('iss')
      await browser.open(parameters.href)
      assert.deepEqual(others.requestsTo('token'), [])
      assert.deepEqual(await stored(user.id), [])
      nothingBroke()
    })

    it('whose slug was given to another server while a code is redeemed sends no token there', async () => {
      const { slug } = await added({ url: theirs.url })
      const held = gate()
      theirs.handlers.token = held.hold(token('of-the-one-before'))
      const linking = link(slug)
      await held.arrived
      await remove(slug)
      await added({ slug, url: others.url })
      held.open()
      const { user, page } = await linking
      assert.match(page.url, /outcome=error/)
      assert.ok(!others.requests.some(({ headers }) => headers.authorization?.includes('of-the-one-before')))
      assert.deepEqual(await stored(user.id), [])
      nothingBroke()
    })

    it('removed while a link completes leaves no credential, by OAuth or by a secret', async () => {
      const { slug } = await added({ url: theirs.url })
      const given = {
        access_token: 'access-for-nothing',
        refresh_token: 'refresh-for-nothing',
        token_type: 'Bearer',
      }
      theirs.handlers.token = (_, response) => sendJson(response, given)
      const held = gate()
      theirs.handlers['mcp:tools/list'] = held.hold(listed('look'))
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
      const ended = () => theirs.requestsTo('revoke').filter(({ body }) => body.includes('refresh-for-nothing'))
      await eventually(async () =>
        assert.equal(ended().length, 1, 'the grant that was given for nothing is ended there'),
      )

      const keyed = await added({ url: theirs.url, authentication: 'user_secret' })
      const again = gate()
      theirs.handlers['mcp:tools/list'] = again.hold(listed('look'))
      const { user: other, browser, page: form } = await consentOf(keyed.slug)
      const submitting = browser.submit(form, /\/api-key$/, { secret: 'mine-alone' })
      await again.arrived
      await remove(keyed.slug)
      again.open()
      assert.doesNotMatch((await submitting).url, /\/done/)
      // The next server of that name must not be handed what was meant for the one before.
      await added({ slug: keyed.slug, url: others.url, authentication: 'user_secret' })
      await run(other.id, `authenticate_${keyed.slug}`)
      assert.deepEqual(
        (await stored(other.id)).filter((one: any) => one.status === 'active'),
        [],
      )
      nothingBroke()
    })

    it('removed while codes wait for it or are redeemed leaves none of them active', async () => {
      await t.allowOrigin('https://app.example.com')
      const { slug } = await added({ url: theirs.url })
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
      assert.deepEqual(await t.query('select 1 from waiting_secrets where connector_slug = $1', [slug]), [])
      nothingBroke()
    })

    it('removed while a code is just being redeemed ends what the code becomes', async () => {
      const { slug } = await added({ url: theirs.url })
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

    it('created anew under its slug with the same client is another one: no token goes to the server before', async () => {
      const client = { client_id: 'by-hand', client_secret: 'by-hand-secret' }
      const earlier = await added({ url: theirs.url, ...client })
      await remove(earlier.slug)
      const now = await added({ slug: earlier.slug, url: others.url, ...client })
      assert.notEqual(now.redirect_uri, earlier.redirect_uri)
      const { user, page } = await link(now.slug)
      assert.match(page.url, /\/done/)
      assert.equal(new URLSearchParams(others.requestsTo('token')[0]?.body).get('redirect_uri'), now.redirect_uri)
      await t.moveClock(2 * HOUR)
      assert.equal((await run(user.id, `${now.slug}__look`)).isError, false)
      assert.deepEqual(theirs.requestsTo('token'), [])
      assert.equal(others.requestsTo('token').length, 2)
    })

    it('removed during a call lets that call end, and refuses the next', async () => {
      const { slug } = await added({ url: theirs.url })
      const { user } = await link(slug)
      const held = gate()
      theirs.handlers['mcp:tools/call'] = held.hold((request, response) =>
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

    it('changed twice at once keeps both changes', async () => {
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

  describe('the tools of a server', () => {
    it('that two users find at once are pinned once: the slower answer waits for a person’s word', async () => {
      const { slug } = await added({ url: theirs.url })
      const held = gate()
      theirs.handlers['mcp:tools/list'] = held.hold(listed('look', 'steal'))
      const slow = link(slug)
      await held.arrived
      delete theirs.handlers['mcp:tools/list']
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
      const told = (await t.events()).filter(
        ({ type, payload }) => type === 'connector.tools_changed' && payload.connector_slug === slug,
      )
      assert.deepEqual(
        told.map(({ payload }) => payload.accepted),
        [false],
      )
    })

    it('accepted while they are checked are not put up for acceptance again, and nothing unseen slips in', async () => {
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
      const told = (await t.events()).filter(
        ({ type, payload }) => type === 'connector.tools_changed' && payload.connector_slug === slug,
      )
      assert.equal(told.length, 1)
    })
  })

  describe('an OAuth app', () => {
    it('put twice at once is one of the two, whole', async () => {
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
      nothingBroke()
    })

    it('removed or replaced while the person is away ends sanely', async () => {
      await giveApp()
      const away = await consentOf('acme-notes')
      const signIn = await away.start()
      assert.equal((await t.call('DELETE', APP)).status, 204)
      const ended = await consentAtSandbox(away.browser, signIn)
      assert.match(ended.url, /outcome=error/)
      assert.match(ended.html, /<h1/)
      assert.deepEqual(await stored(away.user.id), [])
      isPage(await away.browser.open(away.page.url), 410, 'without any app')
      isPage(await away.start(), 410, 'started without any app')

      await giveApp()
      const second = await consentOf('acme-notes')
      const page = await second.start()
      await giveApp()
      assert.match((await consentAtSandbox(second.browser, page)).url, /\/done/, 'its own client finishes it')
      assert.equal((await run(second.user.id, 'acme-notes__list')).isError, false)
      nothingBroke()
    })

    it('removed while a token is refreshed leaves what was linked with it to be linked anew', async () => {
      const path = '/api/v1/connectors/sandbox-notes/oauth-app'
      await giveApp(path)
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
      nothingBroke()
    })

    it('removed while a code waits leaves a token that lives as long as it would, and is not renewed', async () => {
      await t.allowOrigin('https://later.example.com')
      const path = '/api/v1/connectors/sandbox-notes/oauth-app'
      await giveApp(path)
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
      nothingBroke()
    })

    it('given a new secret during a refresh loses neither', async () => {
      const client = await giveApp()
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
      const { slug } = await added({ url: theirs.url })
      const { user } = await link(slug)
      const [{ credential_id }] = await stored(user.id)
      return { slug, user, path: `/api/v1/registered-users/${user.id}/credentials/${credential_id}` }
    }

    it('ended while it is refreshed is not revived, and what the refresh brought is ended too', async () => {
      const { slug, user, path } = await linked()
      await t.moveClock(2 * HOUR)
      const held = gate()
      theirs.handlers.token = held.hold(token('late', { expires_in: 3600 }))
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
      // The service's own worker may be at it as well.
      await eventually(async () => {
        const revoked = theirs.requestsTo('revoke').map(({ body }) => new URLSearchParams(body).get('token'))
        assert.ok(revoked.includes('refresh-late'), revoked.join())
      })
    })

    it('ended while it is tested stays ended', async () => {
      const { user, path } = await linked()
      const held = gate()
      theirs.handlers['mcp:tools/list'] = held.hold(listed('look'))
      const testing = t.call('POST', `${path}/test`)
      await held.arrived
      assert.equal((await t.call('DELETE', path)).status, 204)
      held.open()
      assert.equal((await testing).status, 200)
      assert.equal((await stored(user.id))[0].status, 'revoked')
      const again = await t.call('POST', `${path}/test`)
      assert.deepEqual([again.body.works, again.body.outcome], [false, 'revoked'])
    })

    it('ended twice at once is ended once, and two jobs at once revoke it once', async () => {
      const { user, path } = await linked()
      theirs.requests = []
      const answers = await Promise.all([1, 2, 3].map(() => t.call('DELETE', path)))
      assert.equal(statuses(answers), '204 404 404')
      await Promise.all([1, 2, 3].map(() => revokeDueTokens(t.service.features)))
      await eventually(async () => {
        const outcomes = (await receipts(user.id)).map(({ outcome }: any) => outcome)
        assert.deepEqual(outcomes, ['revoked'])
      })
      assert.equal(theirs.requestsTo('revoke').length, 1)
    })
  })
})
