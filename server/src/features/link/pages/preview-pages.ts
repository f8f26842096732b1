import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../../core/refusal.ts'
import { usableByPack } from '../../connectors/availability.ts'
import type { Brand } from '../../organizations/link-customization.ts'
import {
  findCustomization,
  readPreviewToken,
  routingCodeOfPreview,
} from '../../organizations/link-preview.ts'
import { languagesAt, pagePolicy, sendHtml, unknownFrame } from '../../pages/page-response.ts'
import { readView, type View, viewQuery } from '../../pages/view.ts'
import type { KnownFrame } from '../../pages/views/index.ts'
import { previewGallery } from '../../pages/views/preview/gallery.ts'
import { previewState, SAMPLES } from '../../pages/views/preview/preview.ts'
import { GALLERY_STYLE_HASH } from '../../pages/views/preview/stylesheet.ts'
import type { PageDeps } from './page-deps.ts'
import { productsOf, sortProducts } from './product.ts'
import { productDisplay } from './session-page.ts'

type PreviewContext = {
  organizationId: string
  organizationName: string
  brand: Brand
  view: View
  base: string
}

/**
 * Previews of Link's pages with an organization's branding. They contain only sample data and their forms do nothing, so
 * the signed address is the only access control.
 */
export const previewPages = (app: FastifyInstance, deps: PageDeps, linkPath: string): void => {
  const { db, signer, connectors } = deps
  // The gallery of all pages, and the dashboard.
  const framers = ["'self'", new URL(deps.baseUrl).origin]

  const open = async (request: FastifyRequest): Promise<PreviewContext> => {
    const { token } = request.params as { token: string }
    const preview = readPreviewToken(signer, token, Date.now())
    const found = preview && (await findCustomization(db, preview.organizationId, preview))
    if (!found) {
      await deps.checkRoutingCode(routingCodeOfPreview(token))
      throw new Refusal('not_found')
    }
    const view = readView(request.query as Record<string, unknown>, 'hosted')
    return { ...found, organizationId: preview.organizationId, view, base: `${linkPath}/preview/${token}` }
  }

  const frameOf = (
    request: FastifyRequest,
    reply: FastifyReply,
    { organizationName, brand, view, base }: PreviewContext,
    state: string,
  ): KnownFrame => ({
    ...unknownFrame({ request, reply, mount: 'link', view }, {}, brand),
    languages: languagesAt(`${base}/${state}`, view),
    organization: { name: organizationName },
    user: { name: 'Ana Ruiz', isName: true },
    preview: true,
  })

  app.get(`${linkPath}/preview/:token`, async (request, reply) => {
    const { organizationName, view, base } = await open(request)
    const page = previewGallery({
      organization: organizationName,
      pictures: Object.entries(SAMPLES).map(([state, { group, label }]) => ({
        state,
        group,
        label,
        href: `${base}/${state}${viewQuery(view)}`,
      })),
      view,
      hrefWith: more => `${base}${viewQuery(view, more)}`,
    })
    const policy = `default-src 'none'; style-src ${GALLERY_STYLE_HASH}; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'`
    return sendHtml(request, reply.header('content-security-policy', policy), page)
  })

  app.get(`${linkPath}/preview/:token/:state`, async (request, reply) => {
    const context = await open(request)
    const { state } = request.params as { state: string }
    const frame = frameOf(request, reply, context, state)
    const here = `${context.base}/${state}${viewQuery(context.view)}`
    const usable = usableByPack(await connectors.usable(context.organizationId), null, {})
    const translate = connectors.catalog.translator(frame.words.language)
    const displays = sortProducts(productsOf(usable), context.brand).map(product =>
      productDisplay(product, translate),
    )
    const policy = pagePolicy(frame.look, { framers, formAction: ["'self'"] })
    const page = previewState(frame, state, { connectors: displays, translate, here })
    if (!page) throw new Refusal('not_found')
    return sendHtml(request, reply.header('content-security-policy', policy), page)
  })

  // Every form of a preview leads back to the same preview.
  app.post(`${linkPath}/preview/:token/:state`, async (request, reply) => {
    const { base, view } = await open(request)
    const { state } = request.params as { state: string }
    return reply.redirect(`${base}/${encodeURIComponent(state)}${viewQuery(view)}`, 303)
  })
}
