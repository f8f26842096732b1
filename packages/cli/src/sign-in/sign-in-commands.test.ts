import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  callWithToken,
  createRawClient,
  IDP_CLIENT,
  redirectUrisOf,
  signInForTokens,
  startIdentityProvider,
  type TestIdentityProvider,
} from '../../../../server/test/support/sign-in.ts'
import { joinTestService, type TestService } from '../../../../server/test/support/test-service.ts'
import { openPseudoTerminal } from '../../test/pseudo-terminal.ts'
import { CLI_MAIN, runProcess } from '../../test/run-process.ts'
import { runWords } from '../../test/run-words.ts'

describe('carabiner sign-in and carabiner grants', () => {
  let t: TestService
  let provider: TestIdentityProvider
  let environment: Record<string, string>
  let settings: string[]
  before(async () => {
    t = await joinTestService()
    provider = await startIdentityProvider(redirectUrisOf(t))
    environment = { CARABINER_URL: t.baseUrl, CARABINER_API_KEY: t.organization.key }
    settings = ['sign-in', 'set', '--issuer', provider.issuer, '--client-id', IDP_CLIENT.id, '--create-users']
  })
  after(async () => {
    await t?.stop()
    await provider?.stop()
  })
  const run = (...words: string[]) => runWords(words, environment)
  const withSecret = { CARABINER_CLIENT_SECRET: `${IDP_CLIENT.secret}\n` }

  it('sign-in set: with the secret of a variable users sign in; the secret is never printed', async () => {
    const { text: unset } = await run('sign-in', 'show')
    assert.match(unset, new RegExp(`State +not configured\\nRedirect URI +${redirectUrisOf(t)[0]}`))
    const { text, data } = await runWords(settings, { ...environment, ...withSecret })
    assert.match(text, /Client secret +stored/)
    assert.match(text, new RegExp(`Redirect URI +${redirectUrisOf(t)[0]}`))
    const shown = await run('sign-in', 'show')
    assert.match(shown.text, /Mode +production[^]*Scopes +openid profile email[^]*Creates users +yes/)
    assert.ok(!JSON.stringify([text, data, shown]).includes(IDP_CLIENT.secret))
    const { access_token } = await signInForTokens(await createRawClient(t), 'uma')
    assert.equal((await callWithToken(t, access_token)).status, 200)
  })

  it('grants: listed with the client and the Tool Pack; a revoked one ends its tokens', async () => {
    const { access_token } = await signInForTokens(await createRawClient(t), 'vera')
    const { text, data } = await run('grants', 'list', 'vera')
    assert.match(text, /Raw client +Default/)
    const [{ id }] = data as [{ id: string }]
    await assert.rejects(run('grants', 'revoke', 'vera', id), /Use --yes/)
    await assert.rejects(run('grants', 'revoke', 'uma', id, '--yes'), { code: 'grant_not_found' })
    assert.equal((await callWithToken(t, access_token)).status, 200)
    assert.equal((await run('grants', 'revoke', 'vera', id, '--yes')).text, 'Signed out Raw client.')
    assert.equal((await callWithToken(t, access_token)).status, 401)
    assert.match((await run('grants', 'list', 'vera')).text, /signed in with no client/)
  })

  it('sign-in set: reads the secret from standard input', async () => {
    const words = [...settings, '--client-secret-stdin', '--pack', 'Default', '--user-claim', 'email']
    const { code, stdout, stderr } = await runProcess(words, { environment, input: `${IDP_CLIENT.secret}\n` })
    assert.equal(code, 0, stderr)
    assert.match(stdout, new RegExp(`User claim +email[^]*Tool Packs +${t.organization.toolPackId}`))
    assert.match(stderr, /Register the redirect URI/)
    await signInForTokens(await createRawClient(t), 'wim')
    const empty = await runProcess([...settings, '--client-secret-stdin'], { environment, input: '\n' })
    assert.equal(empty.code, 2)
    assert.match(empty.stderr, /The client secret is empty/)
  })

  it('sign-in set: asks for the secret in a terminal, without showing it', {
    skip: process.platform !== 'linux',
  }, async () => {
    const terminal = openPseudoTerminal([process.execPath, CLI_MAIN, ...settings], environment)
    await terminal.answer(/Client secret at the identity provider/, `${IDP_CLIENT.secret}\r`)
    assert.equal(await terminal.ended, 0, terminal.screen())
    assert.ok(!terminal.screen().includes(IDP_CLIENT.secret))
    await signInForTokens(await createRawClient(t), 'xavi')
  })

  it('sign-in set: rejects missing and contradictory options before it reads a secret', async () => {
    const set = (...words: string[]) => run('sign-in', 'set', ...words)
    await assert.rejects(set(), /Use either --issuer, .* or --sign-in-url/)
    await assert.rejects(set('--issuer', provider.issuer), /--issuer needs --client-id/)
    await assert.rejects(run(...settings), /Use --client-secret-stdin, set CARABINER_CLIENT_SECRET, or/)
    const page = ['--sign-in-url', 'https://app.example.com/sign-in']
    await assert.rejects(set(...page, '--issuer', provider.issuer), /Use either --issuer/)
    await assert.rejects(set(...page, '--scopes', 'groups'), /--scopes is not available with --sign-in-url/)
    await assert.rejects(run(...settings, '--client-secret', 'x'), /Unknown option '--client-secret'/)
    const wrong = ['--issuer', `${provider.issuer}/none`, '--client-id', 'x', '--public-client']
    await assert.rejects(set(...wrong), { code: 'invalid_identity_provider' })
  })

  it('sign-in set: a page of the application, and a public client, in the mode of the key', async () => {
    const test = { ...environment, CARABINER_API_KEY: t.organization.testKey }
    const page = ['sign-in', 'set', '--sign-in-url', 'https://app.example.com/sign-in']
    assert.match((await runWords(page, test)).text, /Mode +test\nSign-in URL +https:\/\/app\.example\.com/)
    assert.match((await runWords(settings, { ...test, ...withSecret })).text, /Client secret +stored/)
    assert.match((await runWords([...settings, '--public-client'], test)).text, /none: a public client/)
    assert.match((await run('sign-in', 'show')).text, /Client secret +stored/)
  })

  it('sign-in remove: asks first, and turns sign-in off', async () => {
    await assert.rejects(run('sign-in', 'remove'), /Use --yes/)
    assert.equal((await run('sign-in', 'remove', '--yes')).text, 'Sign-in is off in production mode.')
    assert.match((await run('sign-in', 'show')).text, /State +not configured/)
    await assert.rejects(run('sign-in', 'remove'), { code: 'sign_in_not_configured', exitCode: 1 })
  })
})
