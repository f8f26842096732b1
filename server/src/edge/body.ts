import type { FastifyInstance, FastifyRequest } from 'fastify'

/** No body, an empty body and `{}` are equal; null means omitted. */
export const normaliseBody = async (request: FastifyRequest): Promise<void> => {
  if (!request.routeOptions.schema?.body) return
  request.body = request.body === undefined ? {} : withoutNulls(request.body)
}

const withoutNulls = (body: unknown): unknown =>
  body !== null && typeof body === 'object' && !Array.isArray(body)
    ? Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))
    : body

export const acceptJson = (app: FastifyInstance): void => {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser(['application/json', 'text/plain'])
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (text === '') done(null, undefined)
    else parse(request, text as string, done)
  })
}
