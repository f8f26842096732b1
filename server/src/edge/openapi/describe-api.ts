import { describeError, ErrorBody, type ErrorCode } from '@carabiner/contract'
import { type Operation, operations, TAGS } from '@carabiner/contract/operations'
import { withDescriptions } from '@carabiner/contract/property-descriptions'
import { permissionOf } from '../principal.ts'
import { codeSamples, exampleBodyOf } from './code-samples.ts'
import { type Components, createComponents } from './components.ts'
import { publishNumber } from './publish-number.ts'

type JsonObject = Record<string, unknown>

/** Errors that any route with an API key may return. */
const SHARED_ERRORS: ErrorCode[] = [
  'missing_api_key',
  'invalid_api_key',
  'api_key_expired',
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

export const describeApi = ({ baseUrl, version }: { baseUrl: string; version: string }): JsonObject => {
  const paths: Record<string, JsonObject> = {}
  const components = createComponents()
  components.describe(ErrorBody)
  for (const operation of Object.values<Operation>(operations)) {
    const path = `/api/v1${operation.path}`
    paths[path] = {
      ...paths[path],
      [operation.method.toLowerCase()]: describeOperation(operation, components),
    }
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

const describeOperation = (operation: Operation, components: Components): JsonObject => ({
  operationId: operation.name,
  summary: operation.summary,
  description: operation.description ?? `${operation.summary}.`,
  tags: [operation.tag],
  ...(operation.audit && { 'x-audit-action': operation.audit.action }),
  'x-permission': permissionOf(operation.method, operation),
  'x-key-group': operation.group,
  'x-codeSamples': codeSamples(operation),
  parameters: [
    ...parameters('path', operation),
    ...parameters('query', operation),
    ...idempotencyHeader(operation),
  ],
  ...(operation.body && {
    requestBody: {
      content: {
        'application/json': {
          schema: components.describe(operation.body),
          example: exampleBodyOf(operation) ?? {},
        },
      },
    },
  }),
  responses: { ...successes(operation, components), ...refusals(operation) },
})

const parameters = (place: 'path' | 'query', { name: operation, params, query }: Operation): JsonObject[] => {
  const { properties = {}, required = [] } = withDescriptions(
    operation,
    (place === 'path' ? params : query) ?? {},
  ) as { properties?: JsonObject; required?: string[] }
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: publishNumber(JSON.parse(JSON.stringify(property)) as JsonObject),
  }))
}

const acceptsIdempotencyKey = ({ method, idempotency }: Operation): boolean =>
  method === 'POST' && idempotency !== false

const KEY_MEANING = 'A repeated request with the same key and body returns the same response.'
const KEY_MEANING_OF_CALL =
  'The call is made once for each key and user: a repeat returns the stored result. A call without a key is always another call.'

const idempotencyHeader = (operation: Operation): JsonObject[] =>
  acceptsIdempotencyKey(operation)
    ? [
        {
          name: 'Idempotency-Key',
          in: 'header',
          required: false,
          description: operation.idempotency === 'of_call' ? KEY_MEANING_OF_CALL : KEY_MEANING,
          schema: { type: 'string', maxLength: 255 },
        },
      ]
    : []

const successes = (
  { responses, types = ['application/json'] }: Operation,
  components: Components,
): JsonObject =>
  Object.fromEntries(
    Object.entries(responses).map(([status, schema]) => [
      status,
      status === '204'
        ? { description: 'Done' }
        : {
            description: 'Success',
            content: Object.fromEntries(types.map(type => [type, { schema: components.describe(schema) }])),
          },
    ]),
  )

const groupError = ({ group }: Operation): ErrorCode =>
  group === null ? 'unrestricted_key_required' : 'key_group_required'

const refusals = (operation: Operation): JsonObject => {
  const codes = [
    ...(operation.errors ?? []),
    ...(operation.productionKeyOnly ? (['production_key_required'] as const) : []),
    ...(operation.personOnly ? (['person_required'] as const) : [groupError(operation)]),
    ...(operation.recentSignIn ? (['recent_sign_in_required'] as const) : []),
    ...(operation.body ? BODY_ERRORS : []),
    ...(acceptsIdempotencyKey(operation) ? KEY_ERRORS : []),
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
