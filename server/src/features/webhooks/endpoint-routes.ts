import {
  NewWebhookEndpoint,
  Page,
  WebhookEndpoint,
  WebhookEndpointCreate,
  WebhookEndpointPatch,
  WebhookEndpoints,
  WebhookTest,
  WebhookTestResult,
} from '@carabiner/contract'
import { Type } from 'typebox'
import { hidePath } from '../../core/addresses/hide-path.ts'
import { parsePage, toPage } from '../../core/cursor.ts'
import { Refusal } from '../../core/refusal.ts'
import { isUuid } from '../../core/uuid.ts'
import type { Api } from '../../edge/api.ts'
import { type Principal, principalMay } from '../../edge/principal.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Egress } from '../../platform/egress/egress.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import { type EndpointOwner, endpointStore, type StoredEndpoint } from './endpoint-store.ts'
import {
  changeEndpoint,
  createEndpoint,
  type EndpointWithSecret,
  rotateEndpointSecret,
  testEndpoint,
} from './manage-endpoints.ts'

const tags = ['Webhooks']
const EndpointPath = Type.Object({ id: Type.String() })
/** Without the URL, which may contain a secret. */
const AUDITED = ['description', 'status', 'format', 'signature']

type Deps = { db: Database; vault: Vault; egress: Egress }

/** An endpoint receives the events of the mode of the API key that created it. */
export const webhookEndpointRoutes = (api: Api, deps: Deps): void => {
  const { db } = deps

  api.post(
    '/webhook-endpoints',
    {
      config: {
        idempotency: false,
        errors: ['invalid_webhook_url', 'webhook_endpoint_limit_reached'],
        audit: { action: 'webhook_endpoint.created', target: 'answer.id', values: AUDITED },
      },
      schema: {
        summary: 'Create a webhook endpoint',
        description: 'It receives the events that happen from now on. The secret is shown this once.',
        tags,
        body: WebhookEndpointCreate,
        response: { 201: NewWebhookEndpoint },
      },
    },
    async (request, reply) =>
      reply.code(201).send(showWithSecret(await createEndpoint(deps, request.principal, request.body))),
  )

  api.get(
    '/webhook-endpoints',
    {
      config: { errors: ['invalid_cursor'] },
      schema: {
        summary: 'List webhook endpoints',
        tags,
        querystring: Page.Query,
        response: { 200: WebhookEndpoints },
      },
    },
    async request => {
      const { limit, after } = parsePage(request.query)
      const page = toPage(await endpointStore.list(db, request.principal, { after, limit: limit + 1 }), limit)
      return { ...page, data: page.data.map(endpoint => showEndpointTo(request.principal, endpoint)) }
    },
  )

  api.get(
    '/webhook-endpoints/:id',
    {
      config: { errors: ['webhook_endpoint_not_found'] },
      schema: {
        summary: 'Retrieve a webhook endpoint',
        tags,
        params: EndpointPath,
        response: { 200: WebhookEndpoint },
      },
    },
    async request =>
      showEndpointTo(request.principal, await requireEndpoint(db, request.principal, request.params.id)),
  )

  api.patch(
    '/webhook-endpoints/:id',
    {
      config: {
        errors: ['webhook_endpoint_not_found', 'invalid_webhook_url'],
        audit: { action: 'webhook_endpoint.updated', target: 'params.id', values: AUDITED },
      },
      schema: {
        summary: 'Change, pause, resume or enable a webhook endpoint',
        tags,
        params: EndpointPath,
        body: WebhookEndpointPatch,
        response: { 200: WebhookEndpoint },
      },
    },
    async request =>
      showEndpoint(await changeEndpoint(deps, request.principal, request.params.id, request.body)),
  )

  api.delete(
    '/webhook-endpoints/:id',
    {
      config: {
        errors: ['webhook_endpoint_not_found'],
        audit: { action: 'webhook_endpoint.deleted', target: 'params.id' },
      },
      schema: {
        summary: 'Delete a webhook endpoint and its deliveries',
        tags,
        params: EndpointPath,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      if (!isUuid(id) || !(await endpointStore.delete(db, request.principal, id)))
        throw new Refusal('webhook_endpoint_not_found')
      return reply.code(204).send(null)
    },
  )

  api.post(
    '/webhook-endpoints/:id/rotate-secret',
    {
      config: {
        idempotency: false,
        errors: ['webhook_endpoint_not_found'],
        audit: { action: 'webhook_endpoint.secret_rotated', target: 'params.id' },
      },
      schema: {
        summary: 'Replace the secret of a webhook endpoint',
        description: 'Webhooks have both signatures for 24 hours. The new secret is shown this once.',
        tags,
        params: EndpointPath,
        response: { 200: NewWebhookEndpoint },
      },
    },
    async request => showWithSecret(await rotateEndpointSecret(deps, request.principal, request.params.id)),
  )

  api.post(
    '/webhook-endpoints/:id/test',
    {
      config: { audit: false, idempotency: false, errors: ['webhook_endpoint_not_found'] },
      schema: {
        summary: 'Send an event with example data to a webhook endpoint',
        description:
          'One attempt, at once, with an event of the given `event_type`. It is not listed as a delivery.',
        tags,
        params: EndpointPath,
        body: WebhookTest,
        response: { 200: WebhookTestResult },
      },
    },
    async request => {
      const type = request.body.event_type ?? 'registered_user.created'
      const { outcome, attempt } = await testEndpoint(deps, request.principal, request.params.id, type)
      return { delivered: outcome === 'delivered', attempt }
    },
  )
}

export const requireEndpoint = async (
  db: Database,
  owner: EndpointOwner,
  id: string,
): Promise<StoredEndpoint> => {
  const endpoint = isUuid(id) ? await endpointStore.find(db, owner, id) : null
  if (!endpoint) throw new Refusal('webhook_endpoint_not_found')
  return endpoint
}

/** Members who cannot change endpoints see only the origin of the URL, because its path and query are often secret. */
const showEndpointTo = (principal: Principal, endpoint: StoredEndpoint): WebhookEndpoint => {
  const shown = showEndpoint(endpoint)
  return principalMay(principal, 'build') ? shown : { ...shown, url: hidePath(shown.url) }
}

const showEndpoint = (endpoint: StoredEndpoint): WebhookEndpoint => ({
  id: endpoint.id,
  url: endpoint.url,
  mode: endpoint.mode,
  event_types: endpoint.eventTypes,
  description: endpoint.description,
  format: endpoint.format,
  signature: endpoint.signature,
  public_key: endpoint.publicKey,
  status: endpoint.status,
  disabled_reason: endpoint.disabledReason,
  last_success_at: endpoint.lastSuccessAt?.toISOString() ?? null,
  created_at: endpoint.createdAt.toISOString(),
})

const showWithSecret = ({ endpoint, secret }: EndpointWithSecret) => ({
  ...showEndpoint(endpoint),
  secret: secret?.reveal() ?? null,
})
