import type { FastifyReply, FastifyRequest } from 'fastify'
import { HOUR, SECOND } from '../../core/duration.ts'
import { randomBase62 } from '../../core/token.ts'
import type { Signer } from '../../platform/vault.ts'

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
    formToken: (browser, handle) => signer.sign(PURPOSE, text(browser, handle)).toString('base64url'),
    verify: (request, handle, formToken) => {
      const browser = read(request)
      // Browsers that say where a form came from are believed: another site's page never posts for a person.
      if (!browser || request.headers['sec-fetch-site'] === 'cross-site') return null
      return signer.verify(PURPOSE, text(browser, handle), Buffer.from(formToken, 'base64url'))
        ? browser
        : null
    },
    framedToken: handle => signer.sign(FRAMED_PURPOSE, handle).toString('base64url'),
    verifyFramed: (request, handle, token) =>
      request.headers.origin === linkOrigin &&
      signer.verify(FRAMED_PURPOSE, handle, Buffer.from(token, 'base64url')),
    unbound: () => randomBase62(COOKIE_LENGTH),
  }
}
