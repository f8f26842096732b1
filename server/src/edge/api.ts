import type { ErrorCode } from '@carabiner/contract'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify'

/** Where features hang their routes: bodies and answers are typed by their schemas. */
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
    /** The refusals that are this route's own; the API document lists them, and those every route shares. */
    errors?: ErrorCode[]
    /** What it answers with, where that is not JSON. */
    types?: readonly string[]
    /** Not part of the published API document. */
    undocumented?: boolean
  }
}
