import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { addPerson } from '../../src/features/members/add-person.ts'
import { countAttempt } from '../../src/features/members/count-attempt.ts'
import { flowEngines } from '../support/databases.ts'
import { cookieOf, type PersonSession, sessionOf, signInPerson, tokenOf } from '../support/person-session.ts'
import { type Answer, startTestService, type TestService } from '../support/test-service.ts'
import { totp } from '../support/totp.ts'

const HOUR = 60 * 60 * 1000
const PASSWORD = 'correct horse battery'

for (const engine of flowEngines)
  describe(`signing in to the dashboard (${engine})`, () => {
    let t: TestService
    before(async () => {
      t = await startTestService(engine)
    })
    after(() => t.stop())

    const open = (token: string, headers: Record<string, string> = { origin: t.baseUrl }) =>
      t.call('POST', '/dashboard/sign-in-link', { key: null, headers, body: { token } })
    const signIn = (email: string, password: string, headers: Record<string, string> = {}): Promise<Answer> =>
      t.call('POST', '/dashboard/auth/sign-in/email', {
        key: null,
        headers: { origin: t.baseUrl, ...headers },
        body: { email, password },
      })
    const withPassword = async (): Promise<PersonSession> => {
      const person = await signInPerson(t, { role: 'admin' })
      const answer = await person.own('POST', '/dashboard/password', { password: PASSWORD })
      assert.equal(answer.status, 204, answer.text)
      return person
    }

    it('a link signs in exactly once, also when it is used twice at the same time', async () => {
      const { link } = await addPerson(t.service.features, { email: 'twice@example.com' })
      const token = tokenOf(link.url.reveal())
      const answers = await Promise.all([open(token), open(token), open(token)])
      assert.deepEqual(
        answers.map(({ status }) => status).toSorted((a, b) => a - b),
        [204, 401, 401],
      )
      assert.equal((await open(token)).body.error.code, 'member_sign_in_link_invalid')
      assert.equal((await open(`${token.slice(0, -1)}_`)).body.error.code, 'member_sign_in_link_invalid')
    })

    it('a link expires after three days', async () => {
      const { link } = await addPerson(t.service.features, { email: 'late@example.com' })
      await t.moveClock(73 * HOUR)
      assert.equal((await open(tokenOf(link.url.reveal()))).status, 401)
      await t.moveClock(-73 * HOUR)
    })

    it('the session cookie is HttpOnly and same-site, and the session says who is signed in', async () => {
      const { link, personId } = await addPerson(t.service.features, {
        email: 'Ana@Example.com',
        name: 'Ana Ruiz',
        membership: { organizationId: t.organization.id, role: 'developer' },
      })
      const answer = await open(tokenOf(link.url.reveal()))
      assert.match(String(answer.headers.get('set-cookie')), /; Path=\/; HttpOnly; SameSite=Strict$/)
      const ana = sessionOf(t, {
        id: personId,
        email: 'ana@example.com',
        cookie: cookieOf(answer),
        organizationId: t.organization.id,
      })
      const { body } = await ana.own('GET', '/dashboard/session')
      assert.deepEqual(body, {
        person: {
          id: personId,
          name: 'Ana Ruiz',
          email: 'ana@example.com',
          has_password: false,
          has_second_factor: false,
          is_by_link: true,
          may_set_password: true,
        },
        is_operator: false,
        invitations: [],
        organizations: [
          {
            id: t.organization.id,
            name: 'Orbit',
            role: 'developer',
            suspended: false,
            permissions: ['read', 'build'],
          },
        ],
        development: true,
      })
    })

    it('a password is set with a link, and signs in; both addresses of cookies are read by better-auth', async () => {
      const person = await withPassword()
      const answer = await signIn(person.email.toUpperCase(), PASSWORD)
      assert.equal(answer.status, 200, answer.text)
      const again = sessionOf(t, { ...person, cookie: cookieOf(answer), organizationId: t.organization.id })
      assert.equal((await again.own('GET', '/dashboard/session')).body.person.has_password, true)
      assert.equal((await again.call('GET', '/api/v1/organization')).body.id, t.organization.id)
      assert.equal((await signIn(person.email, 'wrong password')).status, 401)
      assert.equal((await signIn('nobody@example.com', PASSWORD)).status, 401)
    })

    it('a changed password needs the current one and ends the other sessions', async () => {
      const person = await withPassword()
      const other = sessionOf(t, {
        ...person,
        cookie: cookieOf(await signIn(person.email, PASSWORD)),
        organizationId: t.organization.id,
      })
      const next = { password: 'another long password' }
      assert.equal(
        (await other.own('POST', '/dashboard/password', next)).body.error.code,
        'member_sign_in_failed',
      )
      const wrong = { ...next, current_password: 'wrong' }
      assert.equal(
        (await other.own('POST', '/dashboard/password', wrong)).body.error.code,
        'member_sign_in_failed',
      )
      assert.equal(
        (await other.own('POST', '/dashboard/password', { ...next, current_password: PASSWORD })).status,
        204,
      )
      assert.equal((await person.own('GET', '/dashboard/session')).body.error.code, 'session_expired')
      assert.equal((await other.own('GET', '/dashboard/session')).status, 200)
      assert.equal((await signIn(person.email, PASSWORD)).status, 401)
      assert.equal((await signIn(person.email, next.password)).status, 200)
    })

    it('only an operator changes the own email address, because invitations find people by it', async () => {
      const person = await signInPerson(t, { role: 'admin' })
      const answer = await person.own('POST', '/dashboard/password', {
        password: PASSWORD,
        email: 'ceo@example.com',
      })
      assert.deepEqual([answer.status, answer.body.error.code], [403, 'permission_denied'])
      assert.deepEqual(await t.query(`select 1 from people where email = 'ceo@example.com'`), [])
    })

    it('rejects short and huge passwords, and an email address of another person', async () => {
      const person = await signInPerson(t, { role: 'admin', isOperator: true })
      const set = (body: object) => person.own('POST', '/dashboard/password', body)
      for (const password of ['short', 'x'.repeat(257)])
        assert.equal((await set({ password })).body.error.code, 'invalid_password')
      const other = await signInPerson(t, { role: 'admin' })
      assert.equal((await set({ password: PASSWORD, email: other.email })).body.error.code, 'email_taken')
      assert.equal(
        (await set({ password: PASSWORD, email: 'new@example.com', name: 'New Name' })).status,
        204,
      )
      assert.equal((await signIn('new@example.com', PASSWORD)).status, 200)
    })

    it('attempts on one account are limited, also with the right password afterwards', async () => {
      const person = await withPassword()
      const statuses: number[] = []
      for (let attempt = 0; attempt < 11; attempt++) {
        await t.query(`delete from people_rate_limits where key not like 'account:%'`)
        statuses.push((await signIn(person.email, 'wrong password')).status)
      }
      assert.deepEqual(statuses, [...Array(10).fill(401), 429])
      const locked = await signIn(person.email, PASSWORD)
      assert.equal(locked.body.error.code, 'too_many_attempts')
      assert.ok(Number(locked.headers.get('retry-after')) > 0)
      await t.query(`update people_rate_limits set last_request = last_request - 900001`)
      assert.equal((await signIn(person.email, PASSWORD)).status, 200)
    })

    it('wrong passwords from one network do not lock the person out of another one', async () => {
      const { db } = t.service.features
      const attempt = (address: string) => countAttempt(db, 'locked@example.com', address)
      for (let n = 0; n < 10; n++) await attempt('192.0.2.1')
      await assert.rejects(attempt('192.0.2.1'), { code: 'too_many_attempts' })
      await attempt('198.51.100.7')
      const others = Array.from({ length: 100 }, (_, n) => attempt(`203.0.113.${n}`))
      const all = await Promise.allSettled(others)
      assert.ok(
        all.some(({ status }) => status === 'rejected'),
        'the account has a limit of its own',
      )
    })

    it('attempts from one address are limited, whatever address the client claims', async () => {
      await t.query('delete from people_rate_limits')
      const statuses: number[] = []
      for (let attempt = 0; attempt < 11; attempt++)
        statuses.push(
          (
            await signIn(`unknown-${attempt}@example.com`, 'wrong password', {
              'x-forwarded-for': `192.0.2.${attempt}`,
              'x-carabiner-client': `192.0.2.${attempt}`,
            })
          ).status,
        )
      assert.deepEqual(statuses, [...Array(10).fill(401), 429])
      await t.query('delete from people_rate_limits')
    })

    it('nobody can sign up, and unlisted endpoints of the library are unknown', async () => {
      const body = { email: 'intruder@example.com', password: PASSWORD, name: 'Intruder' }
      for (const path of [
        'sign-up/email',
        'change-email',
        'delete-user',
        'request-password-reset',
        'ok',
        '../session',
      ]) {
        const answer = await t.call('POST', `/dashboard/auth/${path}`, {
          key: null,
          headers: { origin: t.baseUrl },
          body,
        })
        assert.ok(answer.status === 404 || answer.status === 405, `${path}: ${answer.status}`)
      }
      assert.deepEqual(await t.query(`select 1 from people where email = 'intruder@example.com'`), [])
    })

    it('signing out, a revoked session and an expired one end the access at once', async () => {
      const person = await withPassword()
      const read = () => person.call('GET', '/api/v1/organization')
      assert.equal((await read()).status, 200)
      assert.equal((await person.own('POST', '/dashboard/auth/sign-out', {})).status, 200)
      assert.equal((await read()).body.error.code, 'session_expired')

      const second = await signInPerson(t, { role: 'read_only' })
      await t.moveClock(13 * HOUR)
      assert.equal((await second.call('GET', '/api/v1/organization')).body.error.code, 'session_expired')
      await t.moveClock(-13 * HOUR)
    })

    it('a forged or foreign cookie is no session', async () => {
      const person = await signInPerson(t, { role: 'admin' })
      const [name, value = ''] = person.cookie.split('=')
      const [token] = decodeURIComponent(value).split('.')
      for (const cookie of [
        `${name}=${token}`,
        `${name}=${token}.${'A'.repeat(43)}=`,
        `${name}=x${value}`,
        `${name}=%E0%A4%A`,
        `${name}=`,
        'carabiner.session_token',
      ]) {
        const forged = sessionOf(t, { ...person, cookie, organizationId: t.organization.id })
        assert.equal(
          (await forged.call('GET', '/api/v1/organization')).body.error.code,
          'session_expired',
          cookie,
        )
      }
    })

    it('requests of other sites are rejected', async () => {
      const person = await signInPerson(t, { role: 'admin' })
      const send = (headers: Record<string, string>) =>
        person.call('PATCH', '/api/v1/organization', { body: { name: 'Hijacked' }, headers })
      for (const headers of [
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
      ] as Record<string, string>[])
        assert.equal((await send(headers)).body.error.code, 'cross_site_request', JSON.stringify(headers))
      const { link } = await addPerson(t.service.features, { email: 'fixated@example.com' })
      const foreign = await open(tokenOf(link.url.reveal()), { origin: 'https://evil.example' })
      assert.equal(foreign.body.error.code, 'cross_site_request')
      assert.equal((await person.call('GET', '/api/v1/organization')).body.name, 'Orbit')
    })

    it('a second factor is asked for, and a link of an administrator does not replace it', async () => {
      const person = await withPassword()
      const enabled = await person.own('POST', '/dashboard/auth/two-factor/enable', { password: PASSWORD })
      assert.equal(enabled.status, 200, enabled.text)
      const secret = new URL(enabled.body.totpURI).searchParams.get('secret') as string
      const code = totp(secret, Date.now())
      const verified = await person.own('POST', '/dashboard/auth/two-factor/verify-totp', { code })
      assert.equal(verified.status, 200, verified.text)

      const half = await signIn(person.email, PASSWORD)
      assert.equal(half.body.twoFactorRedirect, true)
      const pending = sessionOf(t, { ...person, cookie: cookieOf(half), organizationId: t.organization.id })
      assert.equal((await pending.call('GET', '/api/v1/organization')).body.error.code, 'session_expired')
      const wrong = await pending.own('POST', '/dashboard/auth/two-factor/verify-totp', { code: '000000' })
      assert.equal(wrong.status, 401)
      const done = await pending.own('POST', '/dashboard/auth/two-factor/verify-totp', {
        code: totp(secret, Date.now()),
      })
      assert.equal(done.status, 200, done.text)
      const whole = sessionOf(t, { ...person, cookie: cookieOf(done), organizationId: t.organization.id })
      assert.equal((await whole.own('GET', '/dashboard/session')).body.person.has_second_factor, true)

      const admin = await signInPerson(t, { role: 'admin' })
      const refused = await admin.call('POST', `/api/v1/members/${person.id}/sign-in-link`, { body: {} })
      assert.equal(refused.body.error.code, 'member_sign_in_link_not_allowed')
    })
  })
