import type { ErrorCode } from '@carabiner/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isJson } from '../core/json/is-json.ts'
import { exceedsJsonLimits, jsonLimits } from '../core/json/json-limits.ts'
import { Refusal } from '../core/refusal.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The errors for fields with invalid characters, by field. Default: `invalid_request`. */
    unstorable?: Record<string, ErrorCode>
  }
}

/**
 * No body, an empty body, `null` and `{}` are equivalent. A null field counts as omitted, except in a PATCH, where it
 * clears the field.
 */
export const normalizeBody = async (request: FastifyRequest): Promise<void> => {
  const unstorable = findUnstorable(request.body, '') ?? findUnstorable(request.query, '')
  if (unstorable !== null) {
    const message = `"${unstorable}" contains an invalid character: NUL or an unpaired surrogate.`
    const code = request.routeOptions.config.unstorable?.[unstorable]
    throw code
      ? new Refusal(code, { param: unstorable })
      : new Refusal('invalid_request', { param: unstorable, message })
  }
  if (!request.routeOptions.schema?.body) return
  const body = request.body ?? {}
  request.body = request.method === 'PATCH' ? body : withoutNulls(body)
}

/** Deeper than real input, and shallow enough for the database and for recursion. */
const MAX_DEPTH = 64

/** The path of the first string that the database cannot store unchanged. */
const findUnstorable = (value: unknown, path: string, depth = 0): string | null => {
  if (typeof value === 'string') return value.includes('\0') || !value.isWellFormed() ? path || 'body' : null
  if (value === null || typeof value !== 'object' || ArrayBuffer.isView(value)) return null
  if (depth > MAX_DEPTH) {
    const param = path.split('.')[0] || 'body'
    throw new Refusal('invalid_request', { param, message: `"${param}" is nested too deeply.` })
  }
  for (const [name, inner] of Object.entries(value)) {
    const found =
      findUnstorable(name, 'body') ?? findUnstorable(inner, path ? `${path}.${name}` : name, depth + 1)
    if (found !== null) return found
  }
  return null
}

const withoutNulls = (body: unknown): unknown =>
  body !== null && typeof body === 'object' && !Array.isArray(body)
    ? Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))
    : body

/** The parser rejects valid JSON only because of forbidden keys. */
const forbiddenKey = (): Refusal =>
  new Refusal('invalid_request', {
    message: 'The keys "__proto__" and "constructor" with "prototype" are not allowed in a JSON body.',
  })

const tooManyValues = (): Refusal =>
  new Refusal('body_too_large', {
    message: `The body has more than ${jsonLimits.objects} objects, ${jsonLimits.members} members, ${jsonLimits.shapes} different member names or ${jsonLimits.items} items.`,
  })

export const acceptJson = (app: FastifyInstance): void => {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser(['application/json', 'text/plain'])
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (text === '') done(null, undefined)
    else if (exceedsJsonLimits(text as string)) done(tooManyValues())
    else
      void parse(request, text as string, (error, body) =>
        done(error && isJson(text as string) ? forbiddenKey() : error, body),
      )
  })
  // `curl -d ''` sends a form type. An empty body is accepted with any type.
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes, done) => {
    if (bytes.length === 0) done(null, undefined)
    else done(new Refusal('unsupported_media_type'))
  })
}
