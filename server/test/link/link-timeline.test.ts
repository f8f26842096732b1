import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import type { LinkSession, LinkTokenRequest } from '@carabiner/contract'
import { DAY, MINUTE } from '../../src/core/duration.ts'
import { deleteOldSessions } from '../../src/features/link/sessions/delete-old-sessions.ts'
import { createBrowserUser, linkNotes, type Page, readForms } from '../support/browser-user.ts'
import { flowEngines } from '../support/databases.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

const APP = 'https://app.example.com'
const BROWSER = {
  'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36',
  'accept-language': 'en',
  'sec-fetch-mode': 'navigate',
}
const randomAddress = () => ({ 'x-forwarded-for': [10, 0, 0, 0].map(n => n || randomInt(256)).join('.') })

for (const engine of flowEngines) {
  describe(`the timeline of a link session on ${engine}`, () => {
    let t: TestService
    before(async () => {
      t = await joinTestService(engine)
      await t.allowOrigin(APP)
    })
    after(() => t.stop())

    type Minted = { userId: string; id: string; link: string; token: string; page: string }
    const newSession = async (body: LinkTokenRequest = {}, key = t.organization.key): Promise<Minted> => {
      const { id: userId } = await t.createUser({}, key)
      const { link_token: token, magic_link_url: link } = await t.mint(userId, body, key)
      const exchanged = await t.call('POST', '/link/sessions', {
        key: token,
        headers: { origin: t.baseUrl, ...randomAddress() },
      })
      const [row] = await t.query('select id from link_sessions where registered_user_id = $1', [userId])
      return { userId, id: row.id, link, token, page: exchanged.body.url }
    }
    const visit = async (url: string, headers: Record<string, string>, method = 'GET'): Promise<Page> => {
      // Sent with node:http, because fetch adds headers that mark it as not a navigation.
      const answer = await new Promise<IncomingMessage>((resolve, reject) =>
        httpRequest(url, { method, headers: { ...randomAddress(), ...headers } }, resolve)
          .on('error', reject)
          .end(),
      )
      const html = await text(answer)
      const { statusCode: status = 0 } = answer
      const { location } = answer.headers
      if (location) return visit(new URL(location, url).href, headers, method)
      return { url, status, headers: new Headers(), html, title: '' }
    }
    const read = async ({ id }: Pick<Minted, 'id'>): Promise<LinkSession> => {
      const answer = await t.call<LinkSession>('GET', `/api/v1/link-sessions/${id}`)
      assert.equal(answer.status, 200, answer.text)
      return answer.body
    }
    const steps = async (session: Minted) => (await read(session)).timeline.map(({ step }) => step)

    it('records who opened it, what was chosen, and how each attempt ended, in order [link.timeline]', async () => {
      const session = await newSession()
      for (const agent of ['Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)', 'curl/8.5.0'])
        await visit(session.link, { 'user-agent': agent })
      await visit(session.page, BROWSER, 'HEAD')
      await visit(session.page, { ...BROWSER, 'sec-purpose': 'prefetch;prerender' })
      assert.deepEqual(
        await steps(session),
        ['minted', 'opened_by_scanner'],
        'requests of scanners within a minute are one step',
      )
      await visit(session.page, BROWSER)
      await visit(`${session.page}?connector=sandbox-notes`, BROWSER)
      await visit(`${session.page}?connector=none`, BROWSER)
      const browser = createBrowserUser()
      await linkNotes(browser, session.link, { decision: 'deny' })
      t.sandbox.script({ target: 'token', behavior: 'status', status: 500 })
      await linkNotes(browser, session.link)
      const picker = await browser.open(session.link)
      await browser.submit(picker, /\/cancel$/)
      await linkNotes(browser, session.link)
      const found = await read(session)
      // The browser of these tests is classified as a script.
      const own = found.timeline.filter(each => each.step !== 'opened_by_scanner' || !each.connector_slug)
      assert.deepEqual(
        own.map(({ step }) => step),
        [
          'minted',
          'opened_by_scanner',
          'opened_by_person',
          'chosen',
          'left',
          'denied',
          'left',
          'failed',
          'cancelled',
          'left',
          'completed',
        ],
      )
      assert.deepEqual(Object.keys(found), [
        'id',
        'registered_user_id',
        'status',
        'connector_slug',
        'scopes',
        'minted_at',
        'expires_at',
        'timeline',
      ])
      assert.deepEqual(
        [found.id, found.registered_user_id, found.status, found.connector_slug, found.scopes],
        [session.id, session.userId, 'completed', 'sandbox-notes', ['notes:read', 'notes:write']],
      )
      const times = found.timeline.map(({ at }) => Date.parse(at))
      assert.deepEqual(
        times,
        times.toSorted((a, b) => a - b),
      )
      const byStep = new Map(found.timeline.map(entry => [entry.step, entry]))
      assert.match(byStep.get('failed')?.reason ?? '', /^(provider|exchange)_/)
      assert.deepEqual(
        [
          byStep.get('chosen')?.connector_slug,
          byStep.get('denied')?.reason,
          byStep.get('minted')?.connector_slug,
        ],
        ['sandbox-notes', null, null],
      )
    })

    it('records an API key, a code, and the request for a new link', async () => {
      const vault = await newSession({ Connector: 'sandbox-vault' })
      const browser = createBrowserUser()
      const form = await browser.open(vault.link)
      const again = await browser.submit(form, /\/api-key$/, { api_key: 'sv_live_wrong' })
      await browser.submit(again, /\/api-key$/, { api_key: t.sandbox.vaultKeys.ana })
      const { timeline } = await read(vault)
      assert.deepEqual(
        timeline.filter(({ step }) => !step.startsWith('opened')).map(({ step, reason }) => [step, reason]),
        [
          ['minted', null],
          ['key_submitted', null],
          ['failed', 'key_rejected'],
          ['key_submitted', null],
          ['completed', null],
        ],
      )
      const coded = await newSession({ callback_url: `${APP}/cb?secret=q`, state: 'state-canary' })
      const other = createBrowserUser()
      await linkNotes(other, coded.link)
      const code = new URL(other.lastLocation ?? '').searchParams.get('code') as string
      assert.equal((await read(coded)).status, 'awaiting_confirmation')
      assert.ok((await steps(coded)).includes('code_issued'))
      await t.call('POST', '/api/v1/link-token/confirm', { body: { code } })
      assert.equal((await read(coded)).status, 'completed')
      const late = await newSession({ Connector: 'sandbox-notes' })
      await t.moveClock(31 * MINUTE)
      const expired = await visit(late.page, BROWSER)
      const renew = readForms(expired).find(({ action }) => action.endsWith('/renew'))
      assert.ok(renew)
      const response = await fetch(renew.action, {
        method: 'POST',
        headers: { origin: t.baseUrl, ...randomAddress() },
        body: new URLSearchParams(renew.fields),
      })
      assert.equal(response.status, 200)
      const renewed = await read(late)
      assert.deepEqual(
        [renewed.status, renewed.timeline.map(({ step }) => step)],
        ['expired', ['minted', 'opened_by_person', 'renewal_requested']],
      )
      for (const { id } of [vault, coded, late]) {
        const answer = await t.call('GET', `/api/v1/link-sessions/${id}`)
        for (const secret of [
          'cb_',
          '@',
          'http',
          'state-canary',
          'sv_',
          '127.0.0.1',
          '"10.',
          'Mozilla',
          'Ana',
        ])
          assert.ok(!answer.text.includes(secret), secret)
      }
    })

    it('lists a user’s sessions, newest first, in pages, each with its steps', async () => {
      const { id: userId } = await t.createUser()
      for (let i = 0; i < 5; i++) await t.mint(userId, i % 2 ? { Connector: 'sandbox-notes' } : {})
      const path = `/api/v1/registered-users/${userId}/link-sessions`
      const all = (await t.call('GET', path)).body
      assert.deepEqual([all.data.length, all.next_cursor], [5, null])
      const minted = all.data.map((each: LinkSession) => each.minted_at)
      assert.deepEqual(minted, minted.toSorted().toReversed())
      const listed: string[] = []
      let query = '?limit=2'
      for (let pages = 0; query && pages < 10; pages++) {
        const { data, next_cursor } = (await t.call('GET', path + query)).body
        listed.push(...data.map((each: LinkSession) => each.id))
        query = next_cursor && `?limit=2&cursor=${next_cursor}`
      }
      assert.deepEqual(
        listed,
        all.data.map((each: LinkSession) => each.id),
      )
      for (const { timeline } of all.data as LinkSession[]) assert.equal(timeline[0]?.step, 'minted')
      for (const [wrong, status] of [
        ['?limit=0', 400],
        ['?limit=101', 400],
        ['?cursor=x', 400],
        ['?cursor=%00', 400],
      ] as const)
        assert.equal((await t.call('GET', path + wrong)).status, status, wrong)
    })

    it('is not found for another organization, the other mode, or an invalid ID', async () => {
      const other = await t.createOrganization(`Other ${randomInt(1e9)}`)
      const session = await newSession()
      for (const key of [other.key, other.testKey, t.organization.testKey])
        for (const [path, code] of [
          [`/api/v1/link-sessions/${session.id}`, 'link_session_not_found'],
          [`/api/v1/registered-users/${session.userId}/link-sessions`, 'registered_user_not_found'],
        ] as const) {
          const answer = await t.call('GET', path, { key })
          assert.deepEqual([answer.status, answer.body.error.code], [404, code])
        }
      const foreign = await newSession({}, other.key)
      for (const id of ['x', '%00', session.userId, foreign.id, `${session.id}a`])
        assert.equal((await t.call('GET', `/api/v1/link-sessions/${id}`)).status, 404, id)
      assert.equal((await t.call('GET', `/api/v1/link-sessions/${session.id}`, { key: null })).status, 401)
    })

    it('repeated opening of a link adds a bounded number of rows', async () => {
      const session = await newSession()
      const rows = async () =>
        (await t.query('select count(*)::int as n from link_steps where session_id = $1', [session.id]))[0].n
      for (let round = 0; round < 10; round++)
        await Promise.all(
          Array.from({ length: 50 }, (_, i) =>
            visit(`${session.page}${i % 3 ? '' : '?connector=sandbox-notes'}`, i % 2 ? BROWSER : {}),
          ),
        )
      const soon = await rows()
      assert.ok(soon <= 60, `${soon} after 500 visits within a minute`)
      await t.query(
        `insert into link_steps (organization_id, session_id, step, at)
         select $1, $2, 'opened_by_scanner', app_now() - interval '1 day' from generate_series(1, $3::int)`,
        [t.organization.id, session.id, 95 - soon],
      )
      for (let round = 0; round < 4; round++) {
        await t.moveClock(MINUTE + 1000)
        const again = [BROWSER, {}].flatMap(headers => [
          visit(session.page, headers),
          visit(`${session.page}?connector=sandbox-notes`, headers),
        ])
        await Promise.all(again)
      }
      const later = await rows()
      assert.ok(later >= 100 && later <= 103, `${later} after a day of visits`)
    })

    it('is deleted with its user, and 30 days after the link expired', async () => {
      const deleted = await newSession()
      const old = await newSession()
      for (const { page } of [deleted, old]) await visit(page, BROWSER)
      const countRows = async ({ id }: Minted) =>
        (
          await t.query(
            `select (select count(*)::int from link_steps where session_id = $1) as steps,
               (select count(*)::int from link_timelines where session_id = $1) as timeline`,
            [id],
          )
        )[0]
      assert.deepEqual(await countRows(old), { steps: 1, timeline: 2 })
      await t.call('DELETE', `/api/v1/registered-users/${deleted.userId}`)
      assert.deepEqual(await countRows(deleted), { steps: 0, timeline: 0 })
      assert.equal((await t.call('GET', `/api/v1/link-sessions/${deleted.id}`)).status, 404)
      await t.moveClock(30 * DAY)
      await deleteOldSessions(t.service.features.db)
      assert.deepEqual(await countRows(old), { steps: 1, timeline: 2 }, 'not earlier')
      await t.moveClock(31 * MINUTE)
      await deleteOldSessions(t.service.features.db)
      assert.deepEqual(await countRows(old), { steps: 0, timeline: 0 })
    })
  })
}
