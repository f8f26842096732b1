import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { joinTestService, type TestService } from '../support/test-service.ts'

describe('POST /callback-origins/test', () => {
  let t: TestService
  let userId: string
  before(async () => {
    t = await joinTestService()
    await t.allowOrigin('https://app.example.com')
    await t.allowOrigin('orbit://')
    userId = (await t.createUser()).id
  })
  after(() => t.stop())

  const test = async (url: string) =>
    (await t.call('POST', '/api/v1/callback-origins/test', { body: { url } })).body
  const mint = (callback_url: string) =>
    t.call('POST', `/api/v1/registered-users/${userId}/link-token`, { body: { callback_url } })

  for (const [url, reason] of [
    ['https://app.example.com/callback?tab=1', null],
    ['https://app.example.com:8443/callback', 'unauthorized_origin'],
    ['https://other.example.com/callback', 'unauthorized_origin'],
    ['http://app.example.com/callback', 'unauthorized_origin'],
    ['orbit://linked', null],
    ['https://app.example.com/callback?state=1', 'reserved_callback_parameter'],
    ['https://app.example.com/callback?%63ode=1', 'reserved_callback_parameter'],
    ['https://app.example.com@evil.example/', 'invalid_callback_url'],
    ['javascript:alert(1)', 'invalid_callback_url'],
    ['https:\\\\app.example.com', 'invalid_callback_url'],
    ['not a url', 'invalid_callback_url'],
  ] as const)
    it(`${url}: answers like minting a link token`, async () => {
      const { status, body } = await mint(url)
      const tested = await test(url)
      assert.equal(tested.allowed, reason === null)
      assert.equal(tested.reason, reason)
      assert.equal(status === 201 ? null : body.error.code, reason)
      assert.equal(tested.message, reason && body.error.message)
    })

  it('names the origin that would have to be allowed', async () => {
    assert.equal((await test('https://Other.example.com:443/x')).origin, 'https://other.example.com')
    assert.equal((await test('http://app.example.com/x')).origin, null)
  })

  it('with a test key: answers 403', async () => {
    const { status } = await t.call('POST', '/api/v1/callback-origins/test', {
      key: t.organization.testKey,
      body: { url: 'https://app.example.com' },
    })
    assert.equal(status, 403)
  })
})
