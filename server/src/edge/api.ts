import type { ErrorCode } from '@carabiner/contract'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify'

/** The instance that features register their routes on. Request and response bodies are typed by their schemas. */
export type Api = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

declare module 'fastify' {
  interface FastifySchema {
    summary?: string
    description?: string
    tags?: string[]
  }
  interface FastifyContextConfig {
    /** The errors specific to this route. The API document lists them with the errors that all routes share. */
    errors?: ErrorCode[]
    /** Media types of the response. Default: JSON. */
    types?: readonly string[]
    /** Not part of the published API document. */
    undocumented?: boolean
  }
}
