import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Role } from '@carabiner/contract/permissions'
import { addPerson } from '../../src/features/members/add-person.ts'
import { flowEngines } from '../support/databases.ts'
import {
  cookieOf,
  openSignInLink,
  type PersonSession,
  sessionOf,
  signInPerson,
} from '../support/person-session.ts'
import { joinTestService, type TestOrganization, type TestService } from '../support/test-service.ts'

const HOUR = 60 * 60 * 1000
const PASSWORD = 'a sentence to remember'

for (const engine of flowEngines)
  describe(`members and invitations (${engine})`, () => {
    let t: TestService
    let admin: PersonSession
    let operator: PersonSession
    before(async () => {
      t = await joinTestService(engine)
      admin = await signInPerson(t, { role: 'admin' })
      operator = await signInPerson(t, { isOperator: true })
    })
    after(() => t.stop())

    const invite = (by: PersonSession, email: string, role: Role = 'developer') =>
      by.call('POST', '/api/v1/members', { body: { email, role } })
    const linkFor = (by: PersonSession, { id }: { id: string }) =>
      by.call('POST', `/api/v1/members/${id}/sign-in-link`, { body: {} })
    const enter = async (
      url: string,
      person: { id: string; email: string },
      organization = t.organization,
    ) => {
      const opened = await openSignInLink(t, url)
      assert.equal(opened.status, 204, opened.text)
      return sessionOf(t, { ...person, cookie: cookieOf(opened), organizationId: organization.id })
    }
    const newOrganization = async (name: string): Promise<[TestOrganization, PersonSession]> => {
      const organization = await t.createOrganization(name)
      return [organization, await signInPerson(t, { role: 'admin', organizationId: organization.id })]
    }
    const answer = (person: PersonSession, { id }: TestOrganization, verb: 'accept' | 'decline') =>
      person.own('POST', `/dashboard/invitations/${id}/${verb}`)
    const sessionBody = async (person: PersonSession) => (await person.own('GET', '/dashboard/session')).body
    const organizationsOf = async (person: PersonSession): Promise<string[]> =>
      (await sessionBody(person)).organizations.map(({ name }: { name: string }) => name).toSorted()
    const isOperator = async (person: PersonSession, value: boolean) =>
      operator.own('PATCH', `/dashboard/installation/people/${person.id}`, { is_operator: value })

    it('no API key invites people, creates sign-in links, or changes and removes members', async () => {
      const { id } = await signInPerson(t, { role: 'developer' })
      const requests: [string, string, object?][] = [
        ['POST', '/members', { email: 'attacker@evil.example', role: 'admin' }],
        ['POST', `/members/${id}/sign-in-link`, {}],
        ['PATCH', `/members/${id}`, { role: 'admin' }],
        ['DELETE', `/members/${id}`],
      ]
      for (const key of [t.organization.key, t.organization.testKey])
        for (const [method, path, body] of requests) {
          const refused = await t.call(method, `/api/v1${path}`, { key, body })
          assert.deepEqual([refused.status, refused.body.error.code], [403, 'person_required'], path)
        }
      assert.deepEqual(await t.query(`select from people where email = 'attacker@evil.example'`), [])
      assert.equal((await t.call('GET', '/api/v1/members')).status, 200)
    })

    it('an invitation returns a link once; the person is listed as invited, and active after using it', async () => {
      const [organization, ada] = await newOrganization('Listing')
      const { body } = await invite(ada, 'Nora@Example.com')
      assert.match(body.sign_in_url, new RegExp(`^${t.baseUrl}/dashboard/sign-in#cb_in_`))
      assert.deepEqual(
        [body.email, body.name, body.status, body.mailed],
        ['nora@example.com', 'nora', 'invited', false],
      )
      assert.equal((await invite(ada, 'nora@example.com')).body.error.code, 'already_a_member')
      const list = async () => (await ada.call('GET', '/api/v1/members')).body.data
      const statusOf = async () => (await list()).find(({ id }: { id: string }) => id === body.id).status
      assert.equal(await statusOf(), 'invited')
      assert.equal(JSON.stringify(await list()).includes('cb_in_'), false)
      const nora = await enter(body.sign_in_url, body, organization)
      assert.equal(await statusOf(), 'active')
      assert.deepEqual(await organizationsOf(nora), ['Listing'])
    })

    it('the page of a link names the inviter, organization and role, and uses nothing up', async () => {
      const [organization, ada] = await newOrganization('Naming')
      const { body } = await invite(ada, 'paula@example.com')
      const details = async (url: string) =>
        t.call('POST', '/dashboard/sign-in-link/details', {
          key: null,
          headers: { origin: t.baseUrl },
          body: { token: new URL(url).hash.slice(1) },
        })
      const expected = {
        organization: { name: 'Naming', role: body.role, invites: true },
        issued_by: (await sessionBody(ada)).person.name,
      }
      assert.deepEqual((await details(body.sign_in_url)).body, expected)
      assert.deepEqual((await details(body.sign_in_url)).body, expected)
      const paula = await enter(body.sign_in_url, body, organization)
      assert.deepEqual(await organizationsOf(paula), ['Naming'])
      assert.equal((await details(body.sign_in_url)).body.error.code, 'member_sign_in_link_invalid')
      const removed = (await invite(ada, 'quinn@example.com')).body
      await ada.call('DELETE', `/api/v1/members/${removed.id}`)
      assert.equal((await details(removed.sign_in_url)).body.error.code, 'member_sign_in_link_invalid')
    })

    it('an invitation discloses nothing about a person of another organization until it is accepted', async () => {
      const known = await signInPerson(t, { role: 'developer', name: 'Known Person' })
      const [organization, stranger] = await newOrganization('Curious')
      const [first, second] = [
        await invite(stranger, known.email),
        await invite(stranger, 'unknown@example.com'),
      ]
      for (const { status, body } of [first, second]) {
        assert.equal(status, 201)
        assert.deepEqual(
          [body.name, body.status, body.last_seen_at, body.has_second_factor, typeof body.sign_in_url],
          [body.email.split('@')[0], 'invited', null, false, 'string'],
        )
      }
      assert.deepEqual(Object.keys(first.body), Object.keys(second.body))
      assert.equal(
        (await openSignInLink(t, first.body.sign_in_url)).body.error.code,
        'account_exists',
        'the link does not sign in as a person of another organization',
      )
      assert.deepEqual(await organizationsOf(known), ['Orbit'], 'no membership without consent')
      assert.equal(
        (await known.call('GET', '/api/v1/organization', { organizationId: organization.id })).body.error
          .code,
        'not_a_member',
      )
      assert.equal((await answer(known, organization, 'accept')).status, 204)
      assert.deepEqual(await organizationsOf(known), ['Curious', 'Orbit'])
      const shown = (await stranger.call('GET', '/api/v1/members')).body.data
      assert.equal(shown.find(({ id }: { id: string }) => id === known.id).name, 'Known Person')
      const entries = await t.query(
        `select actor_id from audit_entries where organization_id = $1 and action = 'member.joined'`,
        [organization.id],
      )
      assert.deepEqual(entries, [{ actor_id: known.id }])
    })

    it('a declined invitation is gone; others cannot answer it, and nobody answers it twice', async () => {
      const known = await signInPerson(t, { role: 'developer' })
      const [organization, other] = await newOrganization('Declined')
      await invite(other, known.email)
      const { invitations } = await sessionBody(known)
      assert.deepEqual(
        invitations.map(({ name, role }: { name: string; role: Role }) => [name, role]),
        [['Declined', 'developer']],
      )
      assert.equal((await answer(admin, organization, 'accept')).body.error.code, 'invitation_not_found')
      assert.equal((await answer(known, organization, 'decline')).status, 204)
      for (const verb of ['accept', 'decline'] as const)
        assert.equal((await answer(known, organization, verb)).body.error.code, 'invitation_not_found')
      assert.deepEqual((await sessionBody(known)).invitations, [])
      const pending = await t.query('select 1 from audit_intents')
      assert.deepEqual(pending, [])
    })

    it('a kept link of one organization is dead once the person belongs to another or is an operator', async () => {
      const victim = await signInPerson(t, { role: 'developer' })
      await victim.own('POST', '/dashboard/password', { password: PASSWORD })
      const kept = [await linkFor(admin, victim), await linkFor(admin, victim)].map(
        ({ body }) => body.sign_in_url as string,
      )
      const [organization, other] = await newOrganization('Second')
      await invite(other, victim.email, 'admin')
      assert.equal((await answer(victim, organization, 'accept')).status, 204)
      for (const url of kept)
        assert.equal((await openSignInLink(t, url)).status, 401, 'unused links end with the new membership')
      assert.equal((await linkFor(admin, victim)).body.error.code, 'member_sign_in_link_not_allowed')

      const single = await signInPerson(t, { role: 'developer' })
      const link = (await linkFor(admin, single)).body.sign_in_url
      assert.equal((await isOperator(single, true)).status, 200)
      assert.equal((await openSignInLink(t, link)).status, 401)
      await isOperator(single, false)
    })

    it('the link is checked when it is used, also if its row was kept', async () => {
      const victim = await signInPerson(t, { role: 'developer' })
      const link = (await linkFor(admin, victim)).body.sign_in_url
      const other = await t.createOrganization('Direct')
      await t.query(
        `insert into members (organization_id, person_id, role, invited_name, accepted_at) values ($1, $2, 'admin', 'x', app_now())`,
        [other.id, victim.id],
      )
      const refused = await openSignInLink(t, link)
      assert.deepEqual([refused.status, refused.body.error.code], [409, 'account_exists'])
      await t.query('delete from members where organization_id = $1 and person_id = $2', [
        other.id,
        victim.id,
      ])
      await t.query('insert into operators (person_id) values ($1)', [victim.id])
      assert.equal((await openSignInLink(t, link)).status, 409)
      await t.query('delete from operators where person_id = $1', [victim.id])
      await t.query('delete from members where person_id = $1', [victim.id])
      assert.equal(
        (await openSignInLink(t, link)).status,
        409,
        'the person was removed from the organization',
      )
    })

    it('an administrator who has used a link of the person gets into no other organization', async () => {
      const victim = await signInPerson(t, { role: 'developer' })
      const impostor = await enter((await linkFor(admin, victim)).body.sign_in_url, victim)
      assert.equal((await impostor.own('POST', '/dashboard/password', { password: PASSWORD })).status, 204)
      const [organization, other] = await newOrganization('Target')
      await invite(other, victim.email, 'admin')
      assert.equal((await answer(impostor, organization, 'accept')).body.error.code, 'address_not_verified')
      assert.equal((await isOperator(victim, true)).body.error.code, 'address_not_verified')

      const { link } = await addPerson(t.service.features, { email: victim.email })
      assert.equal((await impostor.own('GET', '/dashboard/session')).body.error.code, 'session_expired')
      const person = await enter(link.url.reveal(), victim)
      assert.equal((await sessionBody(person)).person.has_password, false)
      assert.equal((await answer(person, organization, 'accept')).status, 204)
    })

    it('an impostor of an earlier organization loses access when the person joins another one', async () => {
      const invited = (await invite(admin, 'moved@example.com')).body
      const impostor = await enter(invited.sign_in_url, invited)
      await impostor.own('POST', '/dashboard/password', { password: PASSWORD })
      await admin.call('DELETE', `/api/v1/members/${invited.id}`)
      const [organization, other] = await newOrganization('Later')
      const joined = (await invite(other, 'moved@example.com')).body
      const person = await enter(joined.sign_in_url, invited, organization)
      assert.deepEqual(await organizationsOf(person), ['Later'])
      assert.equal((await impostor.own('GET', '/dashboard/session')).body.error.code, 'session_expired')
      const signIn = await t.call('POST', '/dashboard/auth/sign-in/email', {
        key: null,
        headers: { origin: t.baseUrl },
        body: { email: 'moved@example.com', password: PASSWORD },
      })
      assert.equal(signIn.status, 401, 'the password was removed')
    })

    it('accepting and using a link at the same time never give both to an administrator', async () => {
      for (let round = 0; round < 5; round++) {
        const victim = await signInPerson(t, { role: 'developer' })
        const link = (await linkFor(admin, victim)).body.sign_in_url
        const [organization, other] = await newOrganization(`Race ${round}`)
        await invite(other, victim.email)
        const [accepted, used] = await Promise.all([
          answer(victim, organization, 'accept'),
          openSignInLink(t, link),
        ])
        assert.ok(!(accepted.status === 204 && used.status === 204), `${accepted.text} ${used.text}`)
      }
    })

    it('concurrent removals leave an administrator who has accepted', async () => {
      const [organization, first] = await newOrganization('Race')
      const others = [
        await signInPerson(t, { role: 'admin', organizationId: organization.id }),
        await signInPerson(t, { role: 'admin', organizationId: organization.id }),
      ]
      await invite(first, 'not-yet@example.com', 'admin')
      const removed = await Promise.all(
        [first, ...others].map(({ id }) =>
          operator.call('DELETE', `/api/v1/members/${id}`, { organizationId: organization.id }),
        ),
      )
      assert.deepEqual(
        removed.map(({ status }) => status).toSorted((a, b) => a - b),
        [204, 204, 409],
      )
    })

    it('rejects invalid addresses and unknown roles', async () => {
      for (const body of [
        { email: 'nobody', role: 'admin' },
        { email: 'a b@example.com', role: 'admin' },
        { email: `${'x'.repeat(300)}@example.com`, role: 'admin' },
        { email: 'a@example.com', role: 'owner' },
        { email: 'a@example.com' },
        { email: 'a@example.com', role: 'admin', password: 'x' },
      ])
        assert.equal(
          (await admin.call('POST', '/api/v1/members', { body })).status,
          400,
          JSON.stringify(body),
        )
    })

    it('inviting, promoting and creating links need a sign-in within the last ten minutes', async () => {
      const person = await signInPerson(t, { role: 'admin' })
      const member = await signInPerson(t, { role: 'developer' })
      await t.moveClock(11 * 60_000)
      const requests = [
        invite(person, 'late@example.com'),
        linkFor(person, member),
        person.call('PATCH', `/api/v1/members/${member.id}`, { body: { role: 'admin' } }),
      ]
      for (const { body } of await Promise.all(requests))
        assert.equal(body.error.code, 'recent_sign_in_required')
      const removed = await person.call('DELETE', `/api/v1/members/${member.id}`)
      assert.equal(removed.status, 204, 'removing access is always possible')
      await t.moveClock(-11 * 60_000)
    })

    it('a first password needs a sign-in within the last ten minutes', async () => {
      const person = await signInPerson(t, { role: 'admin' })
      await t.moveClock(3 * HOUR)
      const late = await person.own('POST', '/dashboard/password', { password: PASSWORD })
      assert.deepEqual([late.status, late.body.error.code], [403, 'recent_sign_in_required'])
      assert.equal((await sessionBody(person)).person.may_set_password, false)
      await t.moveClock(-3 * HOUR)
      assert.equal((await person.own('POST', '/dashboard/password', { password: PASSWORD })).status, 204)
    })

    it('a name is short text, and nothing else of the profile can be set', async () => {
      const person = await signInPerson(t, { role: 'read_only' })
      const update = (body: object) => person.own('POST', '/dashboard/auth/update-user', body)
      for (const body of [
        { name: 'N'.repeat(121) },
        { name: ' ' },
        { name: { a: 1 } },
        { image: 'javascript:alert(1)' },
        { name: 'Ann', image: 'x' },
        {},
      ])
        assert.equal((await update(body)).status, 400, JSON.stringify(body))
      assert.equal((await update({ name: 'Ann' })).status, 200)
      assert.equal((await sessionBody(person)).person.name, 'Ann')
    })
  })
