import type { FastifyInstance } from 'fastify'
import { Refusal } from '../../core/refusal.ts'
import type { Connectors } from './availability.ts'
import { LOGO_FOLDER } from './catalog/connector-logo.ts'

/**
 * Public, because Link pages and applications show these images. The headers keep an image that is opened as a page
 * from loading or running anything.
 */
export const connectorLogos = (app: FastifyInstance, { connectors }: { connectors: Connectors }): void => {
  app.get<{ Params: { file: string } }>(`${LOGO_FOLDER}/:file`, async (request, reply) => {
    const logo = connectors.catalog.findLogo(`${LOGO_FOLDER}/${request.params.file}`)
    if (!logo) throw new Refusal('not_found')
    return reply
      .headers({
        'cache-control': 'public, max-age=31536000, immutable',
        'content-security-policy': "default-src 'none'; sandbox",
        'cross-origin-resource-policy': 'cross-origin',
      })
      .type(logo.type)
      .send(logo.body)
  })
}
