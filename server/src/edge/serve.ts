import type { ErrorCode } from '@carabiner/contract'
import type { BodyOf, Operation, ParamsOf, QueryOf, ResponseOf } from '@carabiner/contract/operations'
import type { FastifyContextConfig, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import type { Api } from './api.ts'
import type { Audited } from './audit.ts'
import type { Resource } from './audit-changes.ts'

export type OperationRequest<O> = FastifyRequest<{
  Params: ParamsOf<O>
  Querystring: QueryOf<O>
  Body: BodyOf<O>
}>

/** The body of the response, or `reply` if the handler sends a stream itself. */
type Result<O> = ResponseOf<O> | (null extends ResponseOf<O> ? void : never) | FastifyReply

/** Sets a status only if the operation declares several. */
type Handler<O> = (request: OperationRequest<O>, reply: FastifyReply) => Result<O> | Promise<Result<O>>

type ServeOptions<O> = {
  /**
   * Loads the resource before the change, as the API returns it. Only then does the audit trail record the changed fields and their
   * previous values.
   */
  before?: (request: OperationRequest<O>) => Promise<Resource | null>
  /** The operation cannot change which tools a caller has, so open streams are not woken. For frequent calls. */
  skipsWakeUp?: boolean
  /** Error of a field with characters that PostgreSQL cannot store. Default: `invalid_request`. */
  unstorable?: Record<string, ErrorCode>
  /** In bytes. */
  bodyLimit?: number
}

/** Registers the route of an operation. Its validation, access, audit entry and idempotency follow from the declaration. */
export const serve = <O extends Operation>(
  api: Api,
  operation: O,
  handler: Handler<O>,
  { before, bodyLimit, ...config }: ServeOptions<O> = {},
): void => {
  const { method, params, query, body, responses } = operation
  const status = Number(Object.keys(responses)[0])
  const respond: Handler<O> = (request, reply) => handler(request, reply.code(status))
  api.route({
    method,
    url: routePattern(operation),
    config: { ...config, ...routeConfig(operation, before as AuditedBefore | undefined), operation },
    schema: {
      ...(Object.keys(params.properties).length > 0 && { params }),
      ...(query && { querystring: query }),
      ...(body && { body }),
      response: responses,
    },
    ...(bodyLimit !== undefined && { bodyLimit }),
    handler: respond as unknown as RouteHandlerMethod,
  })
}

/** The path with parameters as Fastify writes them: `/tool-packs/:id`. */
export const routePattern = ({ path }: Pick<Operation, 'path'>): string => path.replace(/\{(\w+)\}/g, ':$1')

type AuditedBefore = Exclude<Audited['before'], undefined>

/** What the hooks of the API read. Other routes than those of operations have it too. */
const routeConfig = (
  {
    permission,
    group,
    productionKeyOnly,
    personOnly,
    recentSignIn,
    idempotency,
    audit,
    registeredUser,
  }: Operation,
  before: AuditedBefore | undefined,
): FastifyContextConfig => ({
  group,
  ...(permission && { permission }),
  ...(productionKeyOnly && { productionKeyOnly }),
  ...(personOnly && { personOnly }),
  ...(recentSignIn && { recentSignIn }),
  ...(idempotency !== undefined && { idempotency }),
  ...(audit === false && { audit }),
  ...(audit && { audit: { ...audit, ...(registeredUser && { registeredUser }), ...(before && { before }) } }),
})
