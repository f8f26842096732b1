import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { ConnectorFile } from '@carabiner/contract'
import { Secret } from '../../core/secret.ts'
import type { Egress } from '../../platform/egress/egress.ts'
import type { OAuthApp } from '../oauth/oauth-app.ts'
import { beginAuthorization, finishAuthorization, refreshTokens } from '../oauth/protocol.ts'
import { oauthProvider } from './oauth-provider.ts'

const appOf = (slug: string): OAuthApp => ({
  id: slug,
  context: slug,
  clientId: 'id',
  clientSecret: new Secret('secret'),
  clientAuthentication: null,
  scopes: null,
})

test('shopify: requests a token that expires, and stores its refresh token', async () => {
  const file = new URL('../../../../connectors/shopify.json', import.meta.url)
  const connector = JSON.parse(readFileSync(file, 'utf8')) as ConnectorFile
  const provider = oauthProvider(connector, appOf('shopify'), { shop: 'acme' })
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

test('tenant values and the client ID are filled into the parameters of sign-ins, token requests and refreshes', async () => {
  const connector = {
    slug: 'parts',
    authorization: [
      {
        type: 'oauth2',
        authorization_endpoint: 'https://login.parts.example/authorize',
        token_endpoint: 'https://login.parts.example/token',
        client_authentication: 'client_secret_post',
        pkce: 'S256',
        scopes: [],
        extra_authorization_parameters: {
          shop: '{tenant.shop}.parts.example',
          app: '{client_id}',
          prompt: 'consent',
        },
        token_request: {
          body: 'form',
          headers: { 'X-Shop': '{tenant.shop}' },
          parameters: { shop: '{tenant.shop}' },
        },
        refresh: { rotates: false },
      },
    ],
  } as unknown as ConnectorFile
  const provider = oauthProvider(connector, appOf('parts'), { shop: 'a&b=ü' })
  assert.ok(provider)
  const { url } = await beginAuthorization(provider, {
    redirect: 'https://x.example/',
    scopes: [],
    statePrefix: '',
  })
  const { shop, app, prompt } = Object.fromEntries(new URL(url).searchParams)
  assert.deepEqual([shop, app, prompt], ['a&b=ü.parts.example', 'id', 'consent'])

  const plain = oauthProvider(connector, appOf('parts'), { shop: 'acme' })
  assert.ok(plain)
  const sent: RequestInit[] = []
  const fetch = async (_: string, init: RequestInit) => {
    sent.push(init)
    return Response.json({ access_token: 'a', token_type: 'bearer' })
  }
  const egress = { fetch } as unknown as Egress
  await refreshTokens({ egress }, plain, new Secret('r'), [])
  assert.equal(new Headers(sent[0]?.headers).get('x-shop'), 'acme')
  assert.equal(new URLSearchParams(sent[0]?.body as URLSearchParams).get('shop'), 'acme')
})
