import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import type { Sandbox, SandboxClient } from '../src/index.ts'
import { CookieBrowser, type Page } from './cookie-browser.ts'

export const redirectUri = 'http://localhost:4000/callback'

export const client: SandboxClient = {
  id: 'orbit',
  secret: 's3cret/with+signs and spaces',
  redirectUris: [redirectUri],
  name: 'Orbit <b>',
}

export type Tokens = {
  access_token: string
  refresh_token: string
  scope: string
  expires_in: number
  token_type: string
  id_token?: string
}

export type Reply = { status: number; headers: Headers; body: Record<string, unknown> }

export function pkce(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

export function authorizeUrl(url: string, challenge: string, extra: Record<string, string> = {}): URL {
  const address = new URL('/oauth/authorize', url)
  address.search = new URLSearchParams({
    client_id: client.id,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'notes:read notes:write',
    state: 'st-1',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...extra,
  }).toString()
  return address
}

export function basic({ id, secret }: { id: string; secret: string }): string {
  // RFC 6749 §2.3.1: both halves are form-encoded before they are joined.
  return `Basic ${Buffer.from(`${formEncoded(id)}:${formEncoded(secret)}`).toString('base64')}`
}

function formEncoded(value: string): string {
  return new URLSearchParams({ value }).toString().slice('value='.length)
}

export async function post(
  address: string,
  form: Record<string, string>,
  authorization = basic(client),
): Promise<Reply> {
  const headers: Record<string, string> = authorization ? { authorization } : {}
  return reply(await fetch(address, { method: 'POST', headers, body: new URLSearchParams(form) }))
}

export async function get(address: string, bearer?: string): Promise<Reply> {
  return reply(await fetch(address, { headers: bearer ? { authorization: `Bearer ${bearer}` } : {} }))
}

export async function send(address: string, method: string, body?: unknown, bearer?: string): Promise<Reply> {
  return reply(
    await fetch(address, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(bearer ? { authorization: `Bearer ${bearer}` } : {}),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  )
}

async function reply(response: Response): Promise<Reply> {
  const text = await response.text()
  const body: Record<string, unknown> = text.startsWith('{') ? JSON.parse(text) : {}
  return { status: response.status, headers: response.headers, body }
}

type Choices = {
  account?: string
  untick?: string[]
  extra?: Record<string, string>
  browser?: CookieBrowser
}

/** Signs in and consents as a user would, up to the redirect that leaves the sandbox. */
export async function consent(url: string, challenge: string, choices: Choices = {}): Promise<Page> {
  const { account = 'ana', untick = [], extra = {}, browser = new CookieBrowser() } = choices
  const login = await browser.open(authorizeUrl(url, challenge, extra))
  const consentPage = await browser.press(login, 'account', account)
  return browser.press(consentPage, 'decision', 'allow', { untick })
}

export function exchange(url: string, code: string, verifier: string): Promise<Reply> {
  return post(`${url}/oauth/token`, {
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    redirect_uri: redirectUri,
  })
}

export function refresh(url: string, refreshToken: string): Promise<Reply> {
  return post(`${url}/oauth/token`, { grant_type: 'refresh_token', refresh_token: refreshToken })
}

/** Completes the authorization code flow and returns the tokens. */
export async function link({ url }: Pick<Sandbox, 'url'>, choices: Choices = {}): Promise<Tokens> {
  const { verifier, challenge } = pkce()
  const callback = await consent(url, challenge, choices)
  const code = callback.url.searchParams.get('code')
  assert.ok(code, `no code in ${callback.url.search}`)
  return tokensOf(await exchange(url, code, verifier))
}

export function tokensOf({ status, body }: Reply): Tokens {
  assert.equal(status, 200, JSON.stringify(body))
  const { access_token, refresh_token, scope, expires_in, token_type, id_token } = body
  assert.ok(typeof access_token === 'string' && typeof refresh_token === 'string')
  return {
    access_token,
    refresh_token,
    scope: String(scope),
    expires_in: Number(expires_in),
    token_type: String(token_type),
    ...(typeof id_token === 'string' ? { id_token } : {}),
  }
}
