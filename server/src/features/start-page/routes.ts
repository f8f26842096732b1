import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isLoopbackAddress } from '../../core/addresses/loopback.ts'
import { Refusal } from '../../core/refusal.ts'
import { wantsHtml } from '../../edge/page.ts'
import type { Database } from '../../platform/database/database.ts'
import type { MintLinkToken } from '../link/sessions/mint-link-token.ts'
import { addPerson } from '../members/add-person.ts'
import { signInWithLink } from '../members/member-sign-in-links.ts'

/** The demo organization and its user. */
export type DemoTarget = { organizationId: string; registeredUserId: string }

type Deps = {
  db: Database
  baseUrl: string
  authSecret: string
  version: string
  mintLinkToken: MintLinkToken
  /** Only in development. */
  demo: DemoTarget | null
}

/** `/`: opens the dashboard in a browser, and describes the service to programs. */
export const startPage = (app: FastifyInstance, deps: Deps): void => {
  const { baseUrl, version, demo } = deps
  app.get('/', async (request, reply) => {
    reply.header('vary', 'accept')
    if (wantsHtml(request)) return reply.redirect('/dashboard', 302)
    return reply.send({
      name: 'Carabiner',
      version,
      api: `${baseUrl}/api/v1`,
      openapi: `${baseUrl}/api/v1/openapi.json`,
      dashboard: `${baseUrl}/dashboard`,
      documentation: `${baseUrl}/docs`,
    })
  })
  if (demo) mountDemo(app, demo, deps)
}

const DEMO_EMAIL = 'demo@carabiner.localhost'

/** Work without a password or a key, so they accept only requests from the service's own pages in a browser on this machine. */
const mountDemo = (
  app: FastifyInstance,
  { organizationId, registeredUserId }: DemoTarget,
  { mintLinkToken, ...deps }: Deps,
): void => {
  const { baseUrl } = deps
  app.addContentTypeParser('application/x-www-form-urlencoded', (_request, payload, done) => {
    payload.resume()
    done(null)
  })
  app.post('/demo/sign-in', async (request, reply) => {
    requireOwnPage(request, baseUrl)
    const { link } = await addPerson(deps, {
      email: DEMO_EMAIL,
      name: 'Demo',
      isOperator: true,
      membership: { organizationId, role: 'admin' },
    })
    const cookie = await signInWithLink(deps, link.token.reveal(), { address: request.ip, userAgent: null })
    return reply.header('set-cookie', cookie).redirect('/dashboard', 303)
  })
  app.post('/demo/link', async (request, reply) => {
    requireOwnPage(request, baseUrl)
    const owner = { organizationId, mode: 'test' } as const
    const target = { connectorSlug: null, toolPackId: null, callback: null, state: null }
    const { magic_link_url } = await mintLinkToken(owner, registeredUserId, target)
    return reply.redirect(magic_link_url, 303)
  })
}

/** The Host check prevents DNS rebinding; the Origin check rejects forms of other sites. */
const requireOwnPage = ({ headers, ip }: FastifyRequest, baseUrl: string): void => {
  const { host, origin } = new URL(baseUrl)
  if (headers.host !== host || headers.origin !== origin || !isLoopbackAddress(ip))
    throw new Refusal('not_found')
}
