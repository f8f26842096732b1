import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { ConnectorFile } from '@carabiner/contract'
import { Secret } from '../../core/secret.ts'
import type { Egress } from '../../platform/egress/egress.ts'
import type { OAuthApp } from '../oauth/oauth-app.ts'
import { finishAuthorization } from '../oauth/protocol.ts'
import { oauthProvider } from './oauth-provider.ts'

test('shopify: requests a token that expires, and stores its refresh token', async () => {
  const file = new URL('../../../../connectors/shopify.json', import.meta.url)
  const connector = JSON.parse(readFileSync(file, 'utf8')) as ConnectorFile
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
