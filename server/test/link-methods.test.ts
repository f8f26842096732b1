import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { registerAtSandbox, writeAcmeConnectors } from './support/acme-connectors.ts'
import { consentAtSandbox, createPerson } from './support/person.ts'
import { startTestService, type TestService } from './support/test-service.ts'

const SLUG = 'acme-areas'
const TENANT = 'tenant.area'

/** A region decides the address: only the first one leads to an API. */
const REGIONS = {
  slug: 'acme-regions',
  name: 'Regions',
  summary: 'Notes, by region',
  categories: ['productivity'],
  documentation_url: '{sandbox_url}/',
  credential_origins: ['{sandbox_url}'],
  tenant: [
    {
      name: 'region',
      label: 'Region',
      secret: false,
      choices: [
        { value: 'one', label: 'First region', sets: { area: 'vault' } },
        { value: 'two', label: 'Second region', sets: { area: 'nowhere' } },
      ],
    },
  ],
  authorization: [
    {
      type: 'api_key',
      fields: [{ name: 'api_key', label: 'API key', secret: true }],
      headers: { authorization: 'Bearer {api_key}' },
    },
  ],
  identity: { url: '{sandbox_url}/{tenant.area}/api/me', account: ['/account/email', '/email'] },
  tools: [],
}

describe('a connector with two methods and an address of the customer’s own', () => {
  const acme = writeAcmeConnectors()
  let t: TestService
  before(async () => {
    writeFileSync(join(acme.folder, 'acme-regions.json'), JSON.stringify(REGIONS))
    t = await startTestService('postgres', {
      CONNECTORS_DIRECTORY: acme.folder,
      CONNECTORS: 'sandbox-notes sandbox-vault gitlab gitlab-self-managed',
    })
  })
  after(async () => {
    await t.stop()
    acme.remove()
  })

  const open = async () => {
    const user = await t.createUser()
    const person = createPerson()
    const page = await person.open((await t.mint(user.id, { connector: SLUG })).magic_link_url)
    return { user, person, page }
  }
  const stored = async (userId: string) =>
    (await t.call('GET', `/api/v1/registered-users/${userId}/credentials`)).body.data
  const methods = async () =>
    (await t.call('GET', '/api/v1/connectors')).body.data.find((one: any) => one.slug === SLUG).methods

  it('without an OAuth app is linked with a key, and its form asks for the address and every field', async () => {
    assert.deepEqual(await methods(), ['api_key'])
    const { user, person, page } = await open()
    assert.match(page.html, new RegExp(`name="${TENANT}" type="text"`))
    assert.match(page.html, /name="email" type="text"/)
    assert.match(page.html, /name="api_key" type="password"/)
    assert.match(page.html, /\.areas\.example/)
    assert.doesNotMatch(page.html, /method=oauth2/)
    const done = await person.submit(page, /\/api-key$/, {
      [TENANT]: 'vault',
      email: 'ana@example.com',
      api_key: t.sandbox.vaultKeys.ana,
    })
    assert.match(done.url, /\/done/)
    const [credential] = await stored(user.id)
    assert.deepEqual([credential.method, credential.account], ['api_key', 'ana@example.com'])
  })

  it('pages show connector texts in their language, and mark texts without a translation as English', async () => {
    const user = await t.createUser()
    const show = async (connector: string, language: string) => {
      const { magic_link_url } = await t.mint(user.id, { connector })
      return (await createPerson().open(`${magic_link_url}?lang=${language}`)).html
    }
    const notes = await show('sandbox-notes', 'de')
    assert.match(notes, /<bdi>Notizen auflisten<\/bdi>/)
    assert.match(notes, /<bdi>Notiz erstellen<\/bdi>/)
    assert.doesNotMatch(notes, /lang="en" dir="ltr"/)
    const vault = await show('sandbox-vault', 'ar')
    assert.match(vault, /<label for="field-0">مفتاح API<\/label>/)
    assert.match(vault, /<li><bdi>نسخ المفتاح المعروض هناك\.<\/bdi>/)
    const areas = await show(SLUG, 'de')
    assert.match(areas, /<label for="field-0"><span lang="en" dir="ltr">Area<\/span><\/label>/)
    assert.match(areas, /<bdi lang="en" dir="ltr">What stands in the address\.<\/bdi>/)
    assert.doesNotMatch(await show(SLUG, 'en'), /lang="en" dir="ltr">(?:Area|What)/)
  })

  it('takes an address that was pasted whole', async () => {
    const { user, person, page } = await open()
    await person.submit(page, /\/api-key$/, {
      [TENANT]: ' https://vault.areas.example/settings?x=1 ',
      email: 'ana@example.com',
      api_key: t.sandbox.vaultKeys.ana,
    })
    assert.equal((await stored(user.id)).length, 1)
  })

  it('refuses what is missing or cannot be an address before anybody is asked, and writes back all but the secret', async () => {
    const { user, person, page } = await open()
    const asked = t.sandbox.ledger.length
    for (const [area, problem] of [
      ['', /Something is missing/],
      ['../admin', /does not look like an address/],
      ['evil.example/x', /does not look like an address/],
      ['a@b', /does not look like an address/],
      ['UPPER', /does not look like an address/],
      ['a\r\nx: y', /does not look like an address/],
    ] as const) {
      const answer = await person.submit(page, /\/api-key$/, {
        [TENANT]: area,
        email: 'kept@example.com',
        api_key: 'sv_live_secret_of_mine',
      })
      assert.equal(answer.status, 422, area)
      assert.match(answer.html, problem)
      assert.match(answer.html, /value="kept@example\.com"/)
      assert.doesNotMatch(answer.html, /sv_live_secret_of_mine/)
    }
    const wrong = await person.submit(page, /\/api-key$/, {
      [TENANT]: 'vault',
      email: 'ana@example.com',
      api_key: 'sv_live_nobody',
    })
    assert.match(wrong.html, /did not accept this key/)
    assert.equal(t.sandbox.ledger.length, asked + 1)
    assert.deepEqual(await stored(user.id), [])
  })

  it('with an app is linked by signing in, with the key as the other way, each leading to the other', async () => {
    const path = `/api/v1/connectors/${SLUG}/oauth-app`
    const { redirect_uri } = (await t.call('GET', path)).body
    const body = await registerAtSandbox(t.sandbox.url, redirect_uri)
    assert.equal((await t.call('PUT', path, { body })).status, 200)
    assert.deepEqual(await methods(), ['oauth2', 'api_key'])

    const { user, person, page } = await open()
    assert.match(page.html, new RegExp(`name="${TENANT}"`))
    const byKey = await person.follow(page, /method=api_key/)
    assert.match(byKey.html, /name="api_key"/)
    const back = await person.follow(byKey, /method=oauth2/)
    const unfit = await person.submit(back, /\/start$/, { [TENANT]: 'no!' })
    assert.equal(unfit.status, 422)
    assert.match(unfit.html, /value="no!"/)
    const signIn = await person.submit(unfit, /\/start$/, { [TENANT]: 'notes' })
    const done = await consentAtSandbox(person, signIn, { account: 'ben' })
    assert.match(done.url, /\/done/)
    const [credential] = await stored(user.id)
    assert.deepEqual([credential.method, credential.account], ['oauth2', 'ben@example.com'])
  })

  it('connectors of a product that share a method are told apart by their names', async () => {
    const user = await t.createUser()
    const person = createPerson()
    const page = await person.open((await t.mint(user.id, {})).magic_link_url)
    const hosted = await person.follow(page, /connector=gitlab(&|$|")/)
    assert.match(hosted.html, />Use <bdi>GitLab \(self-managed\)<\/bdi> instead</)
    const selfManaged = await person.follow(hosted, /connector=gitlab-self-managed/)
    assert.match(selfManaged.html, /name="tenant\.host" type="text"/)
    assert.match(selfManaged.html, />Use <bdi>GitLab\.com<\/bdi> instead</)
    const check = async (host: string) =>
      (await person.submit(selfManaged, /\/api-key$/, { 'tenant.host': host, token: 'glpat-1' })).html
    for (const host of ['localhost', '127.0.0.1', 'gitlab.invalid:8443', 'gitlab.invalid@evil.invalid'])
      assert.match(await check(host), /does not look like an address/)
    assert.doesNotMatch(await check('https://gitlab.invalid/users/sign_in'), /does not look like an address/)
  })

  it('a choice is offered as radio buttons, and its values make the address', async () => {
    const user = await t.createUser()
    const person = createPerson()
    const page = await person.open((await t.mint(user.id, { connector: 'acme-regions' })).magic_link_url)
    assert.match(page.html, /<input type="radio" name="tenant\.region" value="one" required>/)
    const values = { 'tenant.region': 'one', api_key: t.sandbox.vaultKeys.ana }
    const cases: [Record<string, string>, RegExp][] = [
      [
        { ...values, 'tenant.region': '' },
        /role="radiogroup" aria-describedby="problem" aria-invalid="true"/,
      ],
      [{ ...values, 'tenant.region': 'three' }, /role="radiogroup"[^>]* aria-invalid="true"/],
      [{ ...values, 'tenant.region': 'two' }, /value="two" required checked/],
    ]
    for (const [typed, shown] of cases) {
      const asked = t.sandbox.ledger.length
      const answer = await person.submit(page, /\/api-key$/, typed)
      assert.equal(answer.status, 422)
      assert.match(answer.html, shown)
      if (typed['tenant.region'] !== 'two') assert.equal(t.sandbox.ledger.length, asked)
    }
    assert.match((await person.submit(page, /\/api-key$/, values)).url, /\/done/)
    assert.equal((await stored(user.id))[0].account, 'ana@example.com')
  })
})
