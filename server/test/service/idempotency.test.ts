import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { DAY, MINUTE, SECOND } from '../../src/core/duration.ts'
import { newUuid } from '../../src/core/uuid.ts'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { flowEngines } from '../support/databases.ts'
import {
  type Answer,
  joinTestService,
  type TestOrganization,
  type TestService,
} from '../support/test-service.ts'

const USERS = '/api/v1/registered-users'
let next = 0
const newKey = () => `key-${++next}`

for (const engine of flowEngines) {
  describe(`Idempotency-Key on ${engine}`, () => {
    let t: TestService
    let other: TestOrganization
    before(async () => {
      t = await joinTestService(engine)
      other = await t.createOrganization('Other')
      await t.allowOrigin('https://app.example.com')
    })
    after(() => t.stop())

    const post = (path: string, key: string, body: unknown, apiKey = t.organization.key) =>
      t.call('POST', path, { key: apiKey, body, headers: { 'idempotency-key': key } })
    const newUser = () => ({ origin_user_id: newUuid() })
    const isReplay = (answer: Answer) => answer.headers.get('idempotency-replayed') === 'true'
    const countUsers = async (originUserId: string): Promise<number> =>
      (await t.query(`select 1 from registered_users where origin_user_id = $1`, [originUserId])).length
    const countSessions = async (): Promise<number> => (await t.query('select 1 from link_sessions')).length

    it('same key and body: the same response, marked as a replay, and the effect once', async () => {
      const key = newKey()
      const body = newUser()
      const first = await post(USERS, key, body)
      await t.call('PATCH', `${USERS}/${first.body.id}`, { body: { origin_user_name: 'Changed meanwhile' } })
      const again = await post(USERS, key, body)
      assert.deepEqual([first.status, again.status], [201, 201])
      assert.equal(again.text, first.text)
      assert.deepEqual([isReplay(first), isReplay(again)], [false, true])
      assert.match(again.headers.get('content-type') ?? '', /^application\/json/)
      assert.notEqual(again.headers.get('x-request-id'), first.headers.get('x-request-id'))
      assert.equal(await countUsers(body.origin_user_id), 1)
    })

    it('a token is minted once, and replayed', async () => {
      const user = await t.createUser()
      const key = newKey()
      const earlier = await countSessions()
      const first = await post(`${USERS}/${user.id}/link-token`, key, {})
      const again = await post(`${USERS}/${user.id}/link-token`, key, {})
      assert.equal(first.status, 201, first.text)
      assert.equal(again.text, first.text)
      assert.equal(await countSessions(), earlier + 1)
    })

    it('a code is confirmed once, and the success is replayed', async () => {
      const user = await t.createUser()
      const callback = { callback_url: 'https://app.example.com/done', state: 's' }
      const { magic_link_url } = await t.mint(user.id, { Connector: 'sandbox-notes', ...callback })
      const browser = createBrowserUser()
      await linkNotes(browser, magic_link_url)
      const code = new URL(browser.lastLocation as string).searchParams.get('code')
      const key = newKey()
      const first = await post('/api/v1/link-token/confirm', key, { code })
      const again = await post('/api/link-token/confirm/', key, { code })
      assert.equal(first.status, 200, first.text)
      assert.deepEqual([again.status, again.text, isReplay(again)], [200, first.text, true])
      const without = await t.call('POST', '/api/v1/link-token/confirm', { body: { code } })
      assert.equal(without.body.error.code, 'invalid_authorization_code')
    })

    it('the same key with another body or URL returns 409', async () => {
      const key = newKey()
      const body = newUser()
      const first = await post(USERS, key, body)
      for (const [path, different] of [
        [USERS, newUser()],
        [USERS, { ...body, email: 'a@example.com' }],
        [`${USERS}/${first.body.id}/link-token`, {}],
        ['/api/v1/callback-origins', { origin: 'https://b.example.com' }],
      ] as const) {
        const answer = await post(path, key, different)
        assert.equal(answer.status, 409, `${path}: ${answer.text}`)
        assert.equal(answer.body.error.code, 'idempotency_key_reused')
        assert.equal(answer.body.error.param, 'Idempotency-Key')
      }
      assert.equal((await post(USERS, key, body)).text, first.text, 'the first response is still stored')
    })

    it('both prefixes of a URL, and null instead of an omitted field, are the same request', async () => {
      const key = newKey()
      const body = newUser()
      const first = await post('/api/v1/registered-users', key, body)
      for (const path of ['/api/v1/registered-users/', '/api/registered-users', '/api/registered-users/'])
        assert.deepEqual([(await post(path, key, { ...body, email: null })).text, path], [first.text, path])
      assert.equal(await countUsers(body.origin_user_id), 1)
    })

    it('concurrent requests with one key have one effect', async () => {
      const user = await t.createUser()
      const key = newKey()
      const earlier = await countSessions()
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => post(`${USERS}/${user.id}/link-token`, key, {})),
      )
      assert.equal(await countSessions(), earlier + 1)
      const created = answers.filter(({ status }) => status === 201)
      assert.ok(created.length >= 1)
      assert.equal(new Set(created.map(({ text }) => text)).size, 1)
      assert.equal(created.filter(answer => !isReplay(answer)).length, 1)
      for (const answer of answers.filter(({ status }) => status !== 201)) {
        assert.deepEqual([answer.status, answer.body.error.code], [409, 'idempotency_in_progress'])
        assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
      }
      assert.ok(isReplay(await post(`${USERS}/${user.id}/link-token`, key, {})))
    })

    it('a key applies to one organization and one mode', async () => {
      const key = newKey()
      const body = newUser()
      const answers = [
        await post(USERS, key, body),
        await post(USERS, key, body, t.organization.testKey),
        await post(USERS, key, body, other.key),
        await post(USERS, key, body, other.testKey),
      ]
      assert.deepEqual(
        answers.map(({ status }) => status),
        [201, 201, 201, 201],
      )
      assert.equal(new Set(answers.map(answer => answer.body.id)).size, 4)
      assert.ok(answers.every(answer => !isReplay(answer)))
    })

    it('a regenerated API key gets the responses of the previous one', async () => {
      const key = newKey()
      const organization = await t.createOrganization('Regenerated')
      const body = newUser()
      const first = await post(USERS, key, body, organization.key)
      const keys = await t.call('GET', '/api/v1/api-keys', { key: organization.key })
      const { id } = keys.body.data.find(({ mode }: { mode: string }) => mode === 'production')
      const regenerated = await t.call('POST', `/api/v1/api-keys/${id}/regenerate`, { key: organization.key })
      assert.equal((await post(USERS, key, body, regenerated.body.key)).text, first.text)
      assert.equal((await post(USERS, key, body, organization.key)).status, 401)
    })

    it('creating and regenerating keys ignores it: no API key is ever stored', async () => {
      const key = newKey()
      const created = await Promise.all([1, 2].map(() => post('/api/v1/api-keys', key, {})))
      assert.notEqual(created[0]?.body.key, created[1]?.body.key)
      const path = `/api/v1/api-keys/${created[0]?.body.id}/regenerate`
      assert.equal((await post(path, key, undefined)).status, 201)
      assert.equal((await post(path, key, undefined)).status, 404, 'the first request replaced that key')
      assert.equal((await post(USERS, key, newUser())).status, 201, 'the idempotency key is unused')
    })

    it('errors are replayed as well, and an invalid request does not reserve the key', async () => {
      const key = newKey()
      const user = await t.createUser()
      const path = `${USERS}/${user.id}/link-token`
      assert.equal((await post(path, key, { unknown: 1 })).status, 400)
      assert.equal((await post(path, key, {}, 'x')).status, 401)
      const refused = await post(path, key, { Connector: 'none' })
      assert.equal(refused.body.error.code, 'unknown_connector')
      const again = await post(path, key, { Connector: 'none' })
      assert.deepEqual([again.status, again.text, isReplay(again)], [400, refused.text, true])
    })

    it('an invalid key is rejected with the name of the header', async () => {
      for (const key of ['', ' '.repeat(0), 'x'.repeat(256), 'a\tb', 'é']) {
        const answer = await post(USERS, key, newUser())
        assert.equal(answer.status, 400, JSON.stringify(key))
        assert.deepEqual(
          [answer.body.error.code, answer.body.error.param],
          ['invalid_idempotency_key', 'Idempotency-Key'],
        )
      }
      assert.equal((await post(USERS, 'x'.repeat(255), newUser())).status, 201)
    })

    it('other methods ignore it', async () => {
      const user = await t.createUser()
      const headers = { 'idempotency-key': newKey() }
      for (const name of ['A', 'B']) {
        const answer = await t.call('PATCH', `${USERS}/${user.id}`, {
          headers,
          body: { origin_user_name: name },
        })
        assert.equal(answer.body.origin_user_name, name)
      }
    })

    it('stored responses are sealed: no token, name or key is readable in the table', async () => {
      const user = await t.createUser()
      const key = `readable-${newUuid()}`
      const minted = await post(`${USERS}/${user.id}/link-token`, key, {})
      const named = { origin_user_id: newUuid(), origin_user_name: 'Canary Name' }
      await post(USERS, newKey(), named)
      const rows = await t.query<{ text: string }>(
        `select row_to_json(x)::text || encode(coalesce(sealed_response, ''), 'escape') as text from idempotency_keys x`,
      )
      const table = rows.map(({ text }) => text).join('\n')
      assert.ok(rows.length > 3)
      for (const secret of [
        minted.body.link_token,
        minted.body.magic_link_url.split('/').at(-1),
        key,
        'Canary Name',
        named.origin_user_id,
      ])
        assert.ok(!table.includes(secret as string), secret)
    })

    it('a sealed response moved to another key cannot be decrypted', async () => {
      const [one, two] = [newKey(), newKey()]
      const body = newUser()
      await post(USERS, one, body)
      const second = await post(USERS, two, body)
      await t.query(
        `update idempotency_keys k set sealed_response = o.sealed_response, response_status = o.response_status
         from idempotency_keys o where o.key_hash = sha256($1::bytea) and k.key_hash = sha256($2::bytea)`,
        [Buffer.from(one), Buffer.from(two)],
      )
      assert.equal((await post(USERS, two, body)).status, 500)
      assert.equal(second.status, 200)
    })

    it('the responses for a deleted user are deleted at once', async () => {
      const [createKey, mintKey] = [newKey(), newKey()]
      const body = newUser()
      const { id } = (await post(USERS, createKey, body)).body
      await post(`${USERS}/${id}/link-token`, mintKey, {})
      const countStored = async () =>
        (await t.query('select 1 from idempotency_keys where registered_user_id = $1', [id])).length
      assert.equal(await countStored(), 2)
      assert.equal((await t.call('DELETE', `${USERS}/${id}`)).status, 204)
      assert.equal(await countStored(), 0)
      const minted = await post(`${USERS}/${id}/link-token`, mintKey, {})
      assert.deepEqual([minted.status, isReplay(minted)], [404, false])
      const recreated = await post(USERS, createKey, body)
      assert.equal(recreated.status, 201)
      assert.notEqual(recreated.body.id, id)
    })

    it('a deletion concurrent with a mint leaves no response of the deleted user', async () => {
      const left: string[] = []
      for (let round = 0; round < 25; round++) {
        const { id } = await t.createUser()
        const minting = Array.from({ length: 6 }, () => post(`${USERS}/${id}/link-token`, newKey(), {}))
        await delay(round % 10)
        await Promise.all([...minting, t.call('DELETE', `${USERS}/${id}`)])
        const rows = await t.query(
          'select 1 from idempotency_keys where registered_user_id = $1 and response_status < 300',
          [id],
        )
        left.push(...rows.map(() => id))
      }
      assert.deepEqual(left, [])
      const running = await t.query('select 1 from idempotency_keys where response_status is null')
      assert.deepEqual(running, [], 'none of them still reserves its key')
    })

    // The tests below move the clock.
    it('a link token is replayed only until it expires', async () => {
      const user = await t.createUser()
      const key = newKey()
      const path = `${USERS}/${user.id}/link-token`
      const first = await post(path, key, {})
      await t.moveClock(30 * MINUTE - 5 * SECOND)
      assert.equal((await post(path, key, {})).text, first.text)
      await t.moveClock(6 * SECOND)
      const fresh = await post(path, key, {})
      assert.equal(fresh.status, 201)
      assert.equal(isReplay(fresh), false)
      assert.notEqual(fresh.body.link_token, first.body.link_token)
    })

    it('any other response is stored for a day, and then the key is unused', async () => {
      const key = newKey()
      const body = newUser()
      const first = await post(USERS, key, body)
      await t.moveClock(DAY - 5 * SECOND)
      assert.equal((await post(USERS, key, body)).text, first.text)
      await t.moveClock(6 * SECOND)
      const later = await post(USERS, key, { ...body, email: 'a@example.com' })
      assert.deepEqual([later.status, isReplay(later)], [200, false])
    })

    it('a first request that was killed reserves its key for two minutes', async () => {
      const key = newKey()
      const body = newUser()
      await post(USERS, key, body)
      await t.query(
        `update idempotency_keys set response_status = null, sealed_response = null, expires_at = app_now() + interval '2 minutes'
         where key_hash = sha256($1::bytea)`,
        [Buffer.from(key)],
      )
      const running = await post(USERS, key, body)
      assert.deepEqual([running.status, running.body.error.code], [409, 'idempotency_in_progress'])
      await t.moveClock(2 * MINUTE)
      assert.equal((await post(USERS, key, body)).status, 200)
    })
  })
}
