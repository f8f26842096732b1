import type { WebhookEndpoint } from '@carabiner/contract'
import { operations } from '@carabiner/contract/operations'
import { hidePath } from '../../core/addresses/hide-path.ts'
import { parsePage, toPage } from '../../core/cursor.ts'
import { Refusal } from '../../core/refusal.ts'
import { isUuid } from '../../core/uuid.ts'
import type { Api } from '../../edge/api.ts'
import { type Principal, principalMay } from '../../edge/principal.ts'
import { serve } from '../../edge/serve.ts'
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

type Deps = { db: Database; vault: Vault; egress: Egress }

/** An endpoint receives the events of the mode of the API key that created it. */
export const webhookEndpointRoutes = (api: Api, deps: Deps): void => {
  const { db } = deps

  serve(api, operations.createWebhookEndpoint, async request =>
    showWithSecret(await createEndpoint(deps, request.principal, request.body)),
  )

  serve(api, operations.listWebhookEndpoints, async request => {
    const { limit, after } = parsePage(request.query)
    const page = toPage(await endpointStore.list(db, request.principal, { after, limit: limit + 1 }), limit)
    return { ...page, data: page.data.map(endpoint => showEndpointTo(request.principal, endpoint)) }
  })

  serve(api, operations.getWebhookEndpoint, async request =>
    showEndpointTo(request.principal, await requireEndpoint(db, request.principal, request.params.id)),
  )

  serve(api, operations.updateWebhookEndpoint, async request =>
    showEndpoint(await changeEndpoint(deps, request.principal, request.params.id, request.body)),
  )

  serve(api, operations.deleteWebhookEndpoint, async request => {
    const { id } = request.params
    if (!isUuid(id) || !(await endpointStore.delete(db, request.principal, id)))
      throw new Refusal('webhook_endpoint_not_found')
  })

  serve(api, operations.rotateWebhookSecret, async request =>
    showWithSecret(await rotateEndpointSecret(deps, request.principal, request.params.id)),
  )

  serve(api, operations.testWebhookEndpoint, async request => {
    const type = request.body.event_type ?? 'registered_user.created'
    const tested = await testEndpoint(deps, request.principal, request.params.id, type)
    return {
      delivered: tested.outcome === 'delivered',
      delivery_id: tested.deliveryId,
      attempt: tested.attempt,
    }
  })
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
