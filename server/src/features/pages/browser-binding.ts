import type { FastifyReply, FastifyRequest } from 'fastify'
import { HOUR, SECOND } from '../../core/duration.ts'
import { randomBytes } from '../../core/random-bytes.ts'
import { randomBase62 } from '../../core/token.ts'
import type { Signer } from '../../platform/vault/vault.ts'

const PURPOSE = 'form'
const FRAMED_PURPOSE = 'framed-form'
const COOKIE_LENGTH = 43
const COOKIE_TTL_MS = HOUR

/**
 * A random value per browser, stored in a cookie that other sites can neither set nor read. It ties a form to the browser
 * that was shown the page, and the OAuth callback to the browser that started it.
 *
 * Framed pages cannot rely on a cookie, because browsers block or partition it. Their forms carry a page token instead,
 * which is only accepted if the Origin header is Link's own origin. Another site cannot forge that header.
 */
export type BrowserBinding = {
  read(request: FastifyRequest): string | null
  /** Returns the browser's value; sets a new one if it has none. */
  ensure(request: FastifyRequest, reply: FastifyReply): string
  formToken(browser: string, handle: string): string
  /** Returns the posting browser's value if the form token was issued to it for this session, otherwise null. */
  verify(request: FastifyRequest, handle: string, formToken: string): string | null
  framedToken(handle: string): string
  verifyFramed(request: FastifyRequest, handle: string, token: string): boolean
  /** A random value for an attempt that is not bound to a cookie. */
  unbound(): string
}

export const createBrowserBinding = (signer: Signer, baseUrl: string, linkUrl: string): BrowserBinding => {
  const secure = baseUrl.startsWith('https:')
  const linkOrigin = new URL(linkUrl).origin
  // On http loopback the cookie is not Secure, because Safari drops Secure cookies there, and the __Host- prefix requires
  // Secure.
  const name = secure ? '__Host-carabiner_browser' : 'carabiner_browser'
  const pattern = new RegExp(`(?:^|;\\s*)${name}=([0-9A-Za-z]{${COOKIE_LENGTH}})(?:;|$)`)

  /** A page with several forms calls `ensure` several times; all forms must get the same value. */
  const issued = new WeakMap<FastifyRequest, string>()

  const read: BrowserBinding['read'] = request => pattern.exec(request.headers.cookie ?? '')?.[1] ?? null
  const signedText = (browser: string, handle: string) => `${browser}.${handle}`
  return {
    read,
    ensure: (request, reply) => {
      const browser = issued.get(request) ?? read(request) ?? randomBase62(COOKIE_LENGTH)
      issued.set(request, browser)
      const attributes = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${COOKIE_TTL_MS / SECOND}${secure ? '; Secure' : ''}`
      reply.header('set-cookie', `${name}=${browser}; ${attributes}`)
      return browser
    },
    formToken: (browser, handle) => mask(signer.sign(PURPOSE, signedText(browser, handle))),
    verify: (request, handle, formToken) => {
      const browser = read(request)
      // Sec-Fetch-Site cannot be set by a page, so a cross-site post is never a person's click on this page.
      if (!browser || request.headers['sec-fetch-site'] === 'cross-site') return null
      return signer.verify(PURPOSE, signedText(browser, handle), unmask(formToken)) ? browser : null
    },
    framedToken: handle => mask(signer.sign(FRAMED_PURPOSE, handle)),
    verifyFramed: (request, handle, token) =>
      request.headers.origin === linkOrigin && signer.verify(FRAMED_PURPOSE, handle, unmask(token)),
    unbound: () => randomBase62(COOKIE_LENGTH),
  }
}

/**
 * Pages are compressed and may contain attacker-controlled text from their address, so an unmasked secret could be guessed
 * from the response size (BREACH). Masking makes the token different in every response.
 */
const mask = (secret: Buffer): string => {
  const noise = randomBytes(secret.length)
  return Buffer.concat([noise, xor(secret, noise)]).toString('base64url')
}

const unmask = (text: string): Buffer => {
  const bytes = Buffer.from(text, 'base64url')
  const half = bytes.length / 2
  return Number.isInteger(half) && bytes.toString('base64url') === text
    ? xor(bytes.subarray(half), bytes.subarray(0, half))
    : Buffer.alloc(0)
}

const xor = (bytes: Buffer, noise: Buffer): Buffer =>
  Buffer.from(bytes.map((byte, i) => byte ^ (noise[i] ?? 0)))
