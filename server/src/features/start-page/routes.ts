import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Refusal } from '../../core/refusal.ts'
import { sendPage, wantsHtml } from '../../edge/page.ts'
import type { MintLinkToken } from '../link/sessions/mint-link-token.ts'
import { type DemoFacts, developmentView, productionView } from './view.ts'

export type DemoTarget = DemoFacts & { organizationId: string; registeredUserId: string }

type Deps = {
  baseUrl: string
  version: string
  mintLinkToken: MintLinkToken
  sandboxUrl: string | undefined
  /** The demo organization; only in development. */
  demo: DemoTarget | null
}

/** `/`: describes the service, as a page for browsers and as JSON for programs. */
export const startPage = (app: FastifyInstance, deps: Deps): void => {
  const { baseUrl, version, sandboxUrl, demo } = deps
  app.get('/', async (request, reply) => {
    if (!wantsHtml(request))
      return reply.header('vary', 'accept').send({
        name: 'Carabiner',
        version,
        api: `${baseUrl}/api/v1`,
        openapi: `${baseUrl}/api/v1/openapi.json`,
        documentation: `${baseUrl}/docs/errors`,
      })
    return sendPage(reply, {
      title: 'Carabiner',
      ...(demo && { mark: 'Development' }),
      main: demo ? developmentView(demo, sandboxUrl) : productionView(),
    })
  })
  if (demo) mountDemoLink(app, demo, deps)
}

/** Mints a link without an API key, so it accepts only requests from the start page in a browser on this machine. */
const mountDemoLink = (
  app: FastifyInstance,
  { organizationId, registeredUserId }: DemoTarget,
  { baseUrl, mintLinkToken }: Deps,
): void => {
  app.addContentTypeParser('application/x-www-form-urlencoded', (_request, payload, done) => {
    payload.resume()
    done(null)
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
const requireOwnPage = ({ headers }: FastifyRequest, baseUrl: string): void => {
  const { host, origin } = new URL(baseUrl)
  if (headers.host !== host || headers.origin !== origin) throw new Refusal('not_found')
}
