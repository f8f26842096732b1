import type { FastifyReply, FastifyRequest } from 'fastify'
import { HOUR, SECOND } from '../../../core/duration.ts'
import { randomBytes } from '../../../core/random-bytes.ts'
import { randomBase62 } from '../../../core/token.ts'
import type { Signer } from '../../../platform/vault/vault.ts'

const PURPOSE = 'form'
const FRAMED_PURPOSE = 'framed-form'
const COOKIE_LENGTH = 43
const COOKIE_LIFETIME = HOUR

/**
 * One random value per browser, in a cookie that nobody else can set or read. It ties the form to the browser that was
 * shown the page, and the browser that comes back from the third party to the one that left.
 *
 * A framed page has no cookie to lean on: browsers block or partition it. Its forms carry a token of the page instead, and
 * count only when the browser says that they come from Link's own origin. Another site's page cannot make it say so.
 */
export type BrowserBinding = {
  read(request: FastifyRequest): string | null
  /** The browser's value, set anew where it has none. */
  ensure(request: FastifyRequest, reply: FastifyReply): string
  formToken(browser: string, handle: string): string
  /** The browser that posts, if it is one that was shown this session's page. */
  verify(request: FastifyRequest, handle: string, formToken: string): string | null
  framedToken(handle: string): string
  verifyFramed(request: FastifyRequest, handle: string, token: string): boolean
  /** A value for an attempt that no cookie binds. */
  unbound(): string
}

export const createBrowserBinding = (signer: Signer, baseUrl: string, linkUrl: string): BrowserBinding => {
  const secure = baseUrl.startsWith('https:')
  const linkOrigin = new URL(linkUrl).origin
  // On http loopback a plain cookie: Safari drops Secure ones there, and the __Host- prefix demands it.
  const name = secure ? '__Host-carabiner_browser' : 'carabiner_browser'
  const pattern = new RegExp(`(?:^|;\\s*)${name}=([0-9A-Za-z]{${COOKIE_LENGTH}})(?:;|$)`)

  /** A page asks several times: the browser that has no value yet gets one, not one for each form. */
  const given = new WeakMap<FastifyRequest, string>()

  const read: BrowserBinding['read'] = request => pattern.exec(request.headers.cookie ?? '')?.[1] ?? null
  const text = (browser: string, handle: string) => `${browser}.${handle}`
  return {
    read,
    ensure: (request, reply) => {
      const browser = given.get(request) ?? read(request) ?? randomBase62(COOKIE_LENGTH)
      given.set(request, browser)
      const attributes = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${COOKIE_LIFETIME / SECOND}${secure ? '; Secure' : ''}`
      reply.header('set-cookie', `${name}=${browser}; ${attributes}`)
      return browser
    },
    formToken: (browser, handle) => mask(signer.sign(PURPOSE, text(browser, handle))),
    verify: (request, handle, formToken) => {
      const browser = read(request)
      // Browsers that say where a form came from are believed: another site's page never posts for a person.
      if (!browser || request.headers['sec-fetch-site'] === 'cross-site') return null
      return signer.verify(PURPOSE, text(browser, handle), unmask(formToken)) ? browser : null
    },
    framedToken: handle => mask(signer.sign(FRAMED_PURPOSE, handle)),
    verifyFramed: (request, handle, token) =>
      request.headers.origin === linkOrigin && signer.verify(FRAMED_PURPOSE, handle, unmask(token)),
    unbound: () => randomBase62(COOKIE_LENGTH),
  }
}

/**
 * Pages are compressed, and may repeat what somebody else put into their address: a secret that looked the same each time
 * could be guessed from the size of the page, letter by letter. So it never looks the same.
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
