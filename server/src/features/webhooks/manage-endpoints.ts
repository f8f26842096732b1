import {
  type EventType,
  exampleEvent,
  type WebhookEndpointCreate,
  type WebhookEndpointPatch,
} from '@carabiner/contract'
import { DAY, SECOND } from '../../core/duration.ts'
import { Refusal } from '../../core/refusal.ts'
import type { Secret } from '../../core/secret.ts'
import { isUuid, newUuid } from '../../core/uuid.ts'
import type { Database } from '../../platform/database/database.ts'
import { type Egress, EgressError } from '../../platform/egress/egress.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import { eventIdOf } from '../events/to-event.ts'
import { DEFAULT_TIMING } from './delivery-timing.ts'
import { openEndpointSecret, openSigners, sealEndpointSecret } from './endpoint-secrets.ts'
import { type EndpointOwner, endpointStore, type StoredEndpoint } from './endpoint-store.ts'
import { type SentWebhook, sendWebhook } from './send-webhook.ts'
import { createSecret } from './sign-webhook.ts'

type Deps = { db: Database; vault: Vault; egress: Egress }

const MAX_ENDPOINTS = 50
/** How long the secret that was replaced signs as well. */
const OVERLAP_MS = DAY

/** `secret`: null if the endpoint is verified by its public key. */
export type EndpointWithSecret = { endpoint: StoredEndpoint; secret: Secret | null }

export const createEndpoint = async (
  { db, vault, egress }: Deps,
  owner: EndpointOwner,
  body: WebhookEndpointCreate,
): Promise<EndpointWithSecret> => {
  const url = await vetUrl(egress, body.url)
  const id = newUuid()
  const { organizationId } = owner
  const { format = 'single', signature = 'v1' } = body
  const { secret, publicKey } = createSecret(signature)
  const sealedSecret = await sealEndpointSecret(vault, { organizationId, id }, secret)
  const endpoint = await db.transaction(async tx => {
    await endpointStore.lockOrganization(tx, organizationId)
    if ((await endpointStore.count(tx, owner)) >= MAX_ENDPOINTS)
      throw new Refusal('webhook_endpoint_limit_reached')
    return endpointStore.insert(tx, owner, {
      id,
      url,
      eventTypes: body.event_types ?? null,
      description: body.description ?? null,
      format,
      signature,
      sealedSecret,
      publicKey,
    })
  })
  return { endpoint, secret: publicKey === null ? secret : null }
}

export const changeEndpoint = async (
  { db, egress }: Deps,
  owner: EndpointOwner,
  id: string,
  body: WebhookEndpointPatch,
): Promise<StoredEndpoint> => {
  const { url, event_types, description, paused } = body
  const changed =
    isUuid(id) &&
    (await endpointStore.update(db, owner, id, {
      ...(url !== undefined && { url: await vetUrl(egress, url) }),
      ...(event_types !== undefined && { eventTypes: event_types }),
      ...(description !== undefined && { description }),
      ...(paused !== undefined && { paused }),
    }))
  if (!changed) throw new Refusal('webhook_endpoint_not_found')
  return changed
}

/** Both secrets sign for a day, so that the receiver can be changed without losing an event. */
export const rotateEndpointSecret = async (
  { db, vault }: Deps,
  owner: EndpointOwner,
  id: string,
): Promise<EndpointWithSecret> => {
  if (!isUuid(id)) throw new Refusal('webhook_endpoint_not_found')
  const key = { organizationId: owner.organizationId, id }
  return db.transaction(async tx => {
    const locked = await endpointStore.lockSecret(tx, owner, id)
    if (!locked) throw new Refusal('webhook_endpoint_not_found')
    const previous = await openEndpointSecret(vault, locked, tx)
    const { secret, publicKey } = createSecret(locked.signature)
    const endpoint = await endpointStore.rotateSecret(tx, owner, id, {
      sealedSecret: await sealEndpointSecret(vault, key, secret),
      sealedPrevious: await sealEndpointSecret(vault, key, previous, 'webhook-endpoint-previous'),
      publicKey,
      overlapSeconds: OVERLAP_MS / SECOND,
    })
    return { endpoint, secret: publicKey === null ? secret : null }
  })
}

/** Sends an event with example data at once. It is not stored as a delivery. */
export const testEndpoint = async (
  { db, vault, egress }: Deps,
  owner: EndpointOwner,
  id: string,
  type: EventType,
): Promise<SentWebhook> => {
  const endpoint = isUuid(id) ? await endpointStore.readSecret(db, owner, id) : null
  if (!endpoint) throw new Refusal('webhook_endpoint_not_found')
  const { organizationId, mode } = owner
  const event = {
    ...exampleEvent(type),
    id: eventIdOf(newUuid()),
    occurred_at: new Date().toISOString(),
    mode,
    organization_id: organizationId,
  }
  return sendWebhook(egress.onBehalfOf(organizationId), {
    url: endpoint.url,
    id: event.id,
    body: JSON.stringify(event),
    format: endpoint.format,
    signers: await openSigners(vault, endpoint),
    timeoutMs: DEFAULT_TIMING.attemptTimeoutMs,
  })
}

const vetUrl = async (egress: Egress, text: string): Promise<string> => {
  const url = URL.parse(text)
  if (!url) throw new Refusal('invalid_webhook_url', { param: 'url', message: 'This is not a valid URL.' })
  // It would never be sent, so it is a mistake.
  if (text.includes('#'))
    throw new Refusal('invalid_webhook_url', { param: 'url', message: 'A webhook URL has no fragment (#).' })
  try {
    await egress.mayCall(url.href)
    return url.href
  } catch (error) {
    if (!(error instanceof EgressError)) throw error
    throw new Refusal('invalid_webhook_url', { param: 'url', message: error.message, cause: error })
  }
}
