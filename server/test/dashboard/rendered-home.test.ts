import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type PersonSession, signInPerson } from '../support/person-session.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

let t: TestService
let mia: PersonSession
before(async () => {
  t = await joinTestService()
  mia = await signInPerson(t, { role: 'admin' })
})
after(() => t.stop())

const open = async (path: string, cookie?: string) => {
  const response = await fetch(`${t.baseUrl}/dashboard${path}`, {
    headers: { accept: 'text/html', ...(cookie && { cookie }) },
  })
  const text = await response.text()
  const [, json] = /<script type="application\/json" id="page-data">(.*?)<\/script>/.exec(text) ?? []
  return { status: response.status, headers: response.headers, text, data: json && JSON.parse(json) }
}
/** On a busy machine, rendering may take too long; the browser then renders the page. */
const openRendered = async (path: string, cookie: string) => {
  for (let tries = 1; ; tries++) {
    const opened = await open(path, cookie)
    if (opened.data || tries === 20) return opened
  }
}
const homeOf = (organizationId: string, mode = 'test') => `/o/${organizationId}/${mode}`

describe('Home, rendered by the service', () => {
  it('contains the page and its data, and is not stored', async () => {
    const { status, headers, text, data } = await openRendered(homeOf(t.organization.id), mia.cookie)
    assert.equal(status, 200)
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.match(String(headers.get('content-security-policy')), /script-src 'self'; style-src 'self'/)
    assert.match(text, /<title>Home · Carabiner<\/title>/)
    assert.match(text, /<div id="root" inert>.*First steps.*<\/div>/)
    assert.ok(text.includes(`curl ${t.baseUrl}/api/v1/registered-users`))
    assert.equal(data.session.person.id, mia.id)
    const keys = data.queries.map(([key]: [string[]]) => key.join(' '))
    const [test, production] = ['test', 'production'].map(mode => `${t.organization.id} ${mode}`)
    assert.deepEqual(keys.toSorted(), [
      `${production} usage cycle`,
      `${test} connectors list false`,
      `${test} first-steps`,
      `${test} tool-calls summary`,
    ])
  })

  it('has no inline style, which the policy would block, and requests no script before the first paint', async () => {
    const { text } = await openRendered(homeOf(t.organization.id, 'production'), mia.cookie)
    assert.doesNotMatch(text, /<[^>]* style=|modulepreload|<style/)
  })

  it('does not load the first steps if they are dismissed', async () => {
    const cookie = `${mia.cookie}; carabiner.first-steps.${t.organization.id}.test=dismissed`
    const { text, data } = await openRendered(homeOf(t.organization.id), cookie)
    assert.doesNotMatch(text, /First steps/)
    assert.equal(data.queries.length, 2)
  })

  it('is the organization and mode that were used last, at the address without an organization', async () => {
    const modeOf = async (cookie: string) => {
      const { data } = await openRendered('', cookie)
      return data.queries.find(([key]: [string[]]) => key[2] === 'tool-calls')[0].slice(0, 2)
    }
    assert.deepEqual(await modeOf(mia.cookie), [t.organization.id, 'test'])
    for (const scope of [`${t.organization.id}/production`, 'another-organization/production'])
      assert.deepEqual(await modeOf(`${mia.cookie}; carabiner.scope=${scope}`), [
        t.organization.id,
        'production',
      ])
  })

  for (const [name, path, cookie] of [
    ['nobody is signed in', () => homeOf(t.organization.id), () => undefined],
    ['the session is not valid', () => homeOf(t.organization.id), () => 'carabiner.session_token=x.y'],
    ['the page is another', () => `${homeOf(t.organization.id)}/users`, () => mia.cookie],
    ['the mode does not exist', () => homeOf(t.organization.id, 'live'), () => mia.cookie],
    ['the organization does not exist', () => homeOf('none'), () => mia.cookie],
  ] as const)
    it(`is left to the browser if ${name}`, async () => {
      const { status, text } = await open(path(), cookie())
      assert.equal(status, 200)
      assert.match(text, /<div id="root"><\/div>/)
    })

  it('contains the data of its own person only, among concurrent requests', async () => {
    const other = await t.createOrganization('Kepler')
    const lee = await signInPerson(t, { role: 'admin', organizationId: other.id, name: 'Lee Park' })
    const people = [
      { person: mia, organizationId: t.organization.id, strangers: [lee.id, lee.email, other.id] },
      { person: lee, organizationId: other.id, strangers: [mia.id, mia.email, t.organization.id] },
    ]
    const rendered = new Set<string>()
    for (let round = 0; round < 20 && rendered.size < people.length; round++) {
      const opened = await Promise.all(
        Array.from({ length: 24 }, async (_, n) => {
          const { person, organizationId, strangers } = people[n % 2] as (typeof people)[number]
          const path = n % 3 === 0 ? '' : homeOf(organizationId)
          return { ...(await open(path, person.cookie)), person, strangers }
        }),
      )
      for (const { status, text, data, person, strangers } of opened) {
        assert.equal(status, 200)
        if (data) assert.equal(data.session.person.id, person.id)
        if (data) rendered.add(person.id)
        for (const stranger of strangers) assert.ok(!text.includes(stranger))
      }
    }
    assert.equal(rendered.size, people.length)
    // A member of one organization gets nothing of another.
    const { text } = await open(homeOf(other.id), mia.cookie)
    assert.match(text, /<div id="root"><\/div>/)
  })

  it('does not extend the session, because its new cookie could not be sent; the browser extends it', async () => {
    const ana = await signInPerson(t, { role: 'admin' })
    const readUpdate = () => t.query('select updated_at from people_sessions where user_id = $1', [ana.id])
    await t.query(
      `update people_sessions set updated_at = now() - interval '2 hours', expires_at = now() + interval '10 hours' where user_id = $1`,
      [ana.id],
    )
    const updated = await readUpdate()
    const { data } = await openRendered(homeOf(t.organization.id), ana.cookie)
    assert.equal(data.session.person.id, ana.id)
    assert.deepEqual(await readUpdate(), updated)
    const { headers } = await ana.own('GET', '/dashboard/session')
    assert.equal(headers.getSetCookie().length, 1)
    assert.notDeepEqual(await readUpdate(), updated)
  })

  it('escapes names, in the page and in its data', async () => {
    const name = `</script><img src=x onerror=alert(1)>$&<!--`
    const eve = await signInPerson(t, { role: 'admin', name })
    const { text, data } = await openRendered(homeOf(t.organization.id), eve.cookie)
    assert.equal(data.session.person.name, name)
    assert.doesNotMatch(text, /<img|<\/script><img/)
  })
})
