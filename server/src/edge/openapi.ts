import { describeError, ErrorBody, type ErrorCode } from '@carabiner/contract'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { type Components, createComponents } from './openapi-components.ts'
import { OPERATION_NAMES, TAGS } from './openapi-names.ts'
import { permissionOf } from './principal.ts'

type JsonObject = Record<string, unknown>

/** Errors that any route with an API key may return. */
const SHARED_ERRORS: ErrorCode[] = [
  'missing_api_key',
  'invalid_api_key',
  'mcp_key_not_accepted',
  'rate_limited',
  'internal_error',
  'unavailable',
  'organization_moving',
  'wrong_cell',
  'organization_suspended',
]
const BODY_ERRORS: ErrorCode[] = [
  'invalid_json',
  'invalid_request',
  'unknown_field',
  'body_too_large',
  'unsupported_media_type',
]
const KEY_ERRORS: ErrorCode[] = [
  'idempotency_key_reused',
  'idempotency_in_progress',
  'invalid_idempotency_key',
]

/** Collects the routes as they are registered, so that the document matches the service. */
export const collectRoutes = (api: FastifyInstance): RouteOptions[] => {
  const routes: RouteOptions[] = []
  api.addHook('onRoute', route => {
    if (route.method !== 'HEAD' && !route.config?.undocumented) routes.push(route)
  })
  return routes
}

export const describeApi = (
  routes: RouteOptions[],
  { baseUrl, version }: { baseUrl: string; version: string },
): JsonObject => {
  const paths: Record<string, JsonObject> = {}
  const components = createComponents()
  components.describe(ErrorBody)
  for (const route of routes) {
    const path = route.url.replace(/:([A-Za-z_]+)/g, '{$1}')
    const operation = describeRoute(route, path, components)
    paths[path] = { ...paths[path], [String(route.method).toLowerCase()]: operation }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Carabiner',
      version,
      description:
        'Account linking for AI agents. Every path is also available under /api without v1; trailing slashes are ignored.',
      contact: { name: 'The maintainers of Carabiner' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [
      {
        url: '{base_url}',
        description: 'This installation',
        variables: { base_url: { default: baseUrl, description: 'The public address of the service' } },
      },
    ],
    security: [{ apiKey: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'The organization’s production or test API key',
        },
      },
      schemas: components.schemas(),
    },
  }
}

const describeRoute = (
  { method, schema = {}, config = {} }: RouteOptions,
  path: string,
  components: Components,
): JsonObject => ({
  operationId: OPERATION_NAMES[`${String(method)} ${path.replace(/^\/api\/v1/, '')}`],
  summary: schema.summary,
  description: schema.description ?? `${schema.summary}.`,
  tags: schema.tags,
  ...(config.audit && { 'x-audit-action': config.audit.action }),
  'x-permission': permissionOf(String(method), config),
  parameters: [
    ...parameters('path', schema.params),
    ...parameters('query', schema.querystring),
    ...idempotencyHeader(method, config.idempotency),
  ],
  ...(schema.body !== undefined && {
    requestBody: { content: { 'application/json': { schema: components.describe(schema.body) } } },
  }),
  responses: {
    ...successes(schema.response, components, config.types),
    ...refusals(String(method), schema.body !== undefined, config),
  },
})

const parameters = (place: 'path' | 'query', schema: unknown): JsonObject[] => {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: JsonObject
    required?: string[]
  }
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: publishNumber(JSON.parse(JSON.stringify(property)) as JsonObject),
  }))
}

const DIGITS_ONLY = /^[\^$()[\]{}|,\-0-9]+$/

/** Parameters arrive as text, which routes check with a pattern. To a client, a text of digits is a number. */
const publishNumber = ({ type, pattern, ...rest }: JsonObject): JsonObject =>
  typeof pattern === 'string' && DIGITS_ONLY.test(pattern)
    ? { type: 'integer', ...rest }
    : { ...(type !== undefined && { type }), ...(pattern !== undefined && { pattern }), ...rest }

const idempotencyHeader = (method: unknown, idempotency: unknown): JsonObject[] =>
  method === 'POST' && idempotency !== false
    ? [{ name: 'Idempotency-Key', in: 'header', required: false, schema: { type: 'string', maxLength: 255 } }]
    : []

const successes = (
  response: unknown,
  components: Components,
  types: readonly string[] = ['application/json'],
): JsonObject =>
  Object.fromEntries(
    Object.entries((response ?? {}) as JsonObject).map(([status, schema]) => [
      status,
      status === '204'
        ? { description: 'Done' }
        : {
            description: 'Success',
            content: Object.fromEntries(types.map(type => [type, { schema: components.describe(schema) }])),
          },
    ]),
  )

const refusals = (
  method: string,
  takesBody: boolean,
  config: NonNullable<RouteOptions['config']>,
): JsonObject => {
  const codes = [
    ...(config.errors ?? []),
    ...(config.productionKeyOnly ? (['production_key_required'] as const) : []),
    ...(config.personOnly ? (['person_required'] as const) : []),
    ...(config.recentSignIn ? (['recent_sign_in_required'] as const) : []),
    ...(takesBody ? BODY_ERRORS : []),
    ...(method === 'POST' && config.idempotency !== false ? KEY_ERRORS : []),
    ...SHARED_ERRORS,
  ]
  const byStatus = Map.groupBy(new Set(codes), code => describeError(code).status)
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      String(status),
      {
        description: group.map(code => `\`${code}\`: ${describeError(code).text}`).join('\n\n'),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
  )
}
