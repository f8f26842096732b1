import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Fastify from 'fastify'
import { documentationPages } from '../../../server/src/features/documentation/documentation-pages.ts'

const SITE = join(import.meta.dirname, '../../../docs/.vitepress/dist')

export type Subjects = { start: string; bare: string; stop: () => Promise<void> }

/** The start page as the service serves it, and the same content as a page without styles, fonts and scripts. */
export const serveSubjects = async (): Promise<Subjects> => {
  const document = readFileSync(join(SITE, 'index.html'), 'utf8')
  const [content = ''] = /<main[^]*<\/main>/.exec(document) ?? []
  const app = Fastify({ routerOptions: { ignoreTrailingSlash: true } })
  documentationPages(app)
  app.get('/favicon.ico', async (_request, reply) => reply.code(204).send())
  app.get('/bare', async (_request, reply) =>
    reply.type('text/html; charset=utf-8').send(`<!doctype html><title>Bare</title>${content}`),
  )
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  return { start: `${url}/docs/`, bare: `${url}/bare`, stop: () => app.close() }
}
