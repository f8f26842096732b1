import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { type ConnectorFile, oauthMethod } from '@carabiner/contract'
import { Secret } from '../../core/secret.ts'
import type { Egress } from '../../platform/egress/egress.ts'
import type { OAuthApp } from '../oauth/oauth-app.ts'
import { finishAuthorization } from '../oauth/protocol.ts'
import { missingScopes, oauthProvider, refusedScopes, scopesToRequest } from './oauth-provider.ts'

const FOLDER = new URL('../../../../connectors/', import.meta.url)
const shipped = readdirSync(FOLDER)
  .filter(name => name.endsWith('.json') && name !== 'connector.schema.json')
  .map(name => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as ConnectorFile)
const app = { scopes: null } as OAuthApp

test('shipped connectors: every scope that a tool needs can be requested and is sufficient', () => {
  let checked = 0
  for (const connector of shipped) {
    const method = oauthMethod(connector)
    if (!method) continue
    const listed = method.scopes.map(({ name }) => name)
    for (const tool of connector.tools)
      for (const scope of tool.scopes.flat()) {
        const at = `${connector.slug}: ${tool.name} needs ${scope}`
        assert.ok(listed.includes(scope), `${at}, which the connector cannot request`)
        const granted = scopesToRequest(method, app, null)
        const needed = refusedScopes(connector, tool.scopes, [scope])
        const requested = scopesToRequest(method, app, { granted, needed })
        assert.ok(requested.includes(scope), `${at}, which is not requested when the provider names it`)
        const more = missingScopes(tool.scopes, granted)
        assert.deepEqual(missingScopes(tool.scopes, [...granted, ...more]), [], at)
        checked++
      }
  }
  assert.ok(checked > 300, `${checked} scopes`)
})

test('slack: a refusal for a private channel requests the scope of private channels', () => {
  const slack = shipped.find(({ slug }) => slug === 'slack') as ConnectorFile
  const tool = slack.tools.find(({ name }) => name === 'read_messages') as ConnectorFile['tools'][number]
  assert.deepEqual(refusedScopes(slack, tool.scopes, ['groups:history']), ['groups:history'])
  assert.equal(slack.errors?.missing_scopes, '/needed')
})

test('refusedScopes: omits unlisted alternatives and invalid names; default: the scopes of the tool', () => {
  const gmail = shipped.find(({ slug }) => slug === 'gmail') as ConnectorFile
  const readonly = 'https://www.googleapis.com/auth/gmail.readonly'
  assert.deepEqual(refusedScopes(gmail, [], ['https://mail.google.com/', readonly]), [readonly])
  assert.deepEqual(refusedScopes(gmail, [], ['unlisted']), ['unlisted'])
  assert.deepEqual(refusedScopes(gmail, [[readonly, 'x']], ['not"a scope']), [readonly])
})

test('shopify: requests a token that expires, and stores its refresh token', async () => {
  const connector = shipped.find(({ slug }) => slug === 'shopify')
  assert.ok(connector)
  const registered: OAuthApp = {
    id: 'shopify',
    context: 'shopify',
    clientId: 'id',
    clientSecret: new Secret('secret'),
    clientAuthentication: null,
    scopes: null,
  }
  const provider = oauthProvider(connector, registered, { shop: 'acme' })
  assert.ok(provider)
  const sent: [url: string, form: Record<string, string>][] = []
  const fetch = async (url: string, init: RequestInit) => {
    sent.push([url, Object.fromEntries(new URLSearchParams(init.body as URLSearchParams))])
    return Response.json({
      access_token: 'shpat_1',
      scope: 'write_products,read_orders',
      expires_in: 3600,
      refresh_token: 'shprt_1',
      refresh_token_expires_in: 7_776_000,
    })
  }
  const tokens = await finishAuthorization(
    { egress: { fetch } as unknown as Egress },
    {
      provider,
      parameters: new URLSearchParams({ code: 'code', state: 'state', shop: 'acme.myshopify.com' }),
      state: 'state',
      codeVerifier: new Secret('v'.repeat(43)),
      redirect: 'https://link.example/callback',
      scopes: [],
    },
  )
  const [url, form] = sent[0] ?? []
  assert.equal(url, 'https://acme.myshopify.com/admin/oauth/access_token')
  assert.equal(form?.expiring, '1')
  assert.equal(form?.client_secret, 'secret')
  assert.equal(tokens.refreshToken?.reveal(), 'shprt_1')
  assert.equal(tokens.expiresInSeconds, 3600)
  assert.deepEqual(tokens.scopes, ['write_products', 'read_orders'])
})
