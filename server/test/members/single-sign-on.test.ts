import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { freePort } from '../../../scripts/postgres-cluster.ts'
import { addPerson } from '../../src/features/members/add-person.ts'
import { createBrowserUser } from '../support/browser-user.ts'
import { sessionOf, signInPerson } from '../support/person-session.ts'
import {
  IDP_CLIENT,
  signInAtProvider,
  startIdentityProvider,
  type TestIdentityProvider,
} from '../support/sign-in.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

type Claims = { email?: string; email_verified?: unknown }

const start = async (environment: Record<string, string> = {}) => {
  /** What the provider says about each subject. */
  const claimsOf = new Map<string, Claims>()
  const port = await freePort()
  const provider: TestIdentityProvider = await startIdentityProvider(
    [`http://localhost:${port}/dashboard/auth/callback/sso`],
    {
      more: {
        findAccount: (_context, accountId) => ({
          accountId,
          claims: async () => ({ sub: accountId, name: accountId, ...claimsOf.get(accountId) }),
        }),
      },
    },
  )
  const t: TestService = await startTestService('postgres', {
    PORT: String(port),
    BASE_URL: `http://localhost:${port}`,
    SSO_ISSUER: provider.issuer,
    SSO_CLIENT_ID: IDP_CLIENT.id,
    SSO_CLIENT_SECRET: IDP_CLIENT.secret,
    ...environment,
  })
  const startSignIn = (body: object = {}) =>
    t.call('POST', '/dashboard/auth/sign-in/social', {
      key: null,
      headers: { origin: t.baseUrl },
      body: { provider: 'sso', callbackURL: '/dashboard', errorCallbackURL: '/dashboard/sign-in', ...body },
    })
  /** Signs the subject in. Returns the session, or null if the service rejects it. */
  const signIn = async (subject: string, claims?: Claims) => {
    if (claims) claimsOf.set(subject, claims)
    await t.query('delete from people_rate_limits')
    const begun = await startSignIn()
    assert.equal(begun.status, 200, begun.text)
    const browser = createBrowserUser()
    const jar = new Map(
      begun.headers.getSetCookie().map(line => line.split(';', 1)[0]?.split(/=(.*)/s) as [string, string]),
    )
    browser.cookies.set(new URL(t.baseUrl).host, jar)
    await signInAtProvider(browser, begun.body.url, subject)
    const own = browser.cookies.get(new URL(t.baseUrl).host) ?? new Map<string, string>()
    const cookie = [...own].map(([name, value]) => `${name}=${value}`).join('; ')
    const session = sessionOf(t, { id: '', email: '', cookie, organizationId: t.organization.id })
    const { status, body } = await session.own('GET', '/dashboard/session')
    return status === 200 ? { ...session, id: body.person.id as string, isOperator: body.is_operator } : null
  }
  const stop = async () => {
    await t.stop()
    await provider.stop()
  }
  return { t, provider, signIn, startSignIn, stop }
}

describe('single sign-on to the dashboard', () => {
  let s: Awaited<ReturnType<typeof start>>
  before(async () => {
    s = await start()
  })
  after(() => s.stop())

  it('an address that the provider has not verified signs in as nobody, and changes nothing', async () => {
    const victim = await signInPerson(s.t, { isOperator: true })
    await victim.own('POST', '/dashboard/password', { password: 'a sentence to remember' })
    const claims: Claims[] = [
      { email: victim.email, email_verified: false },
      { email: victim.email },
      { email: victim.email, email_verified: 'false' },
      { email: victim.email, email_verified: 'yes' },
      { email: victim.email, email_verified: 1 },
      { email: victim.email.toUpperCase(), email_verified: false },
    ]
    for (const [index, each] of claims.entries())
      assert.equal(await s.signIn(`attacker-${index}`, each), null, JSON.stringify(each))
    assert.equal((await victim.own('GET', '/dashboard/session')).body.person.has_password, true)
    assert.deepEqual(await s.t.query(`select from people_accounts where provider_id = 'sso'`), [])
  })

  it('one subject per person: a second one with the same verified address is rejected', async () => {
    const { personId } = await addPerson(s.t.service.features, { email: 'olga@example.com' })
    const claims = { email: 'olga@example.com', email_verified: true }
    assert.equal((await s.signIn('olga', claims))?.id, personId)
    assert.equal(await s.signIn('olga-at-another-department', claims), null)
    assert.equal((await s.signIn('olga'))?.id, personId, 'the first one still works')
  })

  it('identities are listed and removed by the person; a removed one is linked again by its address', async () => {
    const { personId } = await addPerson(s.t.service.features, { email: 'rita@example.com' })
    const rita = await s.signIn('rita', { email: 'rita@example.com', email_verified: true })
    assert.equal(rita?.id, personId)
    const other = await signInPerson(s.t, { role: 'admin' })
    const list = async () => (await rita.own('GET', '/dashboard/identities')).body.data
    const [identity] = await list()
    assert.deepEqual([identity.subject, (await list()).length], ['rita', 1])
    const path = `/dashboard/identities/${identity.id}`
    assert.equal((await other.own('DELETE', path)).status, 404)
    await s.t.moveClock(11 * 60_000)
    assert.equal((await rita.own('DELETE', path)).body.error.code, 'recent_sign_in_required')
    await s.t.moveClock(-11 * 60_000)
    assert.equal((await rita.own('DELETE', path)).status, 204)
    assert.deepEqual(await list(), [])
    assert.equal((await s.signIn('rita'))?.id, personId)
  })

  it('an ID token in the body of a request starts no session', async () => {
    const answer = await s.startSignIn({ idToken: { token: 'x' } })
    assert.deepEqual([answer.status, answer.body.error.param], [400, 'idToken'])
    assert.equal((await s.startSignIn({ provider: 'google' })).body.error.param, 'provider')
  })
})

describe('single sign-on with an issuer whose addresses the operator trusts', () => {
  it('SSO_TRUST_EMAIL=yes accepts an address without email_verified', async () => {
    const s = await start({ SSO_TRUST_EMAIL: 'yes' })
    try {
      const { personId } = await addPerson(s.t.service.features, { email: 'entra@example.com' })
      assert.equal((await s.signIn('entra', { email: 'entra@example.com' }))?.id, personId)
    } finally {
      await s.stop()
    }
  })
})
