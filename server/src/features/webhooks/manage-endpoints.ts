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
import { createSecret } from '../../core/webhook-signature.ts'
import { vetWebhookUrl } from '../../edge/webhook-url.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Egress } from '../../platform/egress/egress.ts'
import { openSigners, openSigningSecret, sealSigningSecret } from '../../platform/vault/signing-secrets.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import { eventIdOf } from '../events/to-event.ts'
import { deliveryStore } from './delivery-store.ts'
import { DEFAULT_TIMING } from './delivery-timing.ts'
import { type EndpointOwner, endpointStore, type StoredEndpoint, signedFor } from './endpoint-store.ts'
import { type SentWebhook, sendWebhook } from './send-webhook.ts'

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
  const url = await vetWebhookUrl(egress, body.url)
  const id = newUuid()
  const { organizationId } = owner
  const { format = 'single', signature = 'v1' } = body
  const { secret, publicKey } = createSecret(signature)
  const key = await vault.organizationKey(organizationId)
  const sealedSecret = sealSigningSecret(key, signedFor({ organizationId, id }), secret)
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
      ...(url !== undefined && { url: await vetWebhookUrl(egress, url) }),
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
  const target = signedFor({ organizationId: owner.organizationId, id })
  const key = await vault.organizationKey(owner.organizationId)
  return db.transaction(async tx => {
    const locked = await endpointStore.lockSecret(tx, owner, id)
    if (!locked) throw new Refusal('webhook_endpoint_not_found')
    const previous = await openSigningSecret(vault, target, locked.sealedSecret, { through: tx })
    const { secret, publicKey } = createSecret(locked.signature)
    const endpoint = await endpointStore.rotateSecret(tx, owner, id, {
      sealedSecret: sealSigningSecret(key, target, secret),
      sealedPrevious: sealSigningSecret(key, target, previous, true),
      publicKey,
      overlapSeconds: OVERLAP_MS / SECOND,
    })
    return { endpoint, secret: publicKey === null ? secret : null }
  })
}

export type TestedEndpoint = Pick<SentWebhook, 'outcome' | 'attempt'> & { deliveryId: string }

/** Sends an event with example data once, and stores it as a delivery. */
export const testEndpoint = async (
  { db, vault, egress }: Deps,
  owner: EndpointOwner,
  id: string,
  type: EventType,
): Promise<TestedEndpoint> => {
  const endpoint = isUuid(id) ? await endpointStore.readSecret(db, owner, id) : null
  if (!endpoint) throw new Refusal('webhook_endpoint_not_found')
  const { organizationId, mode } = owner
  const eventId = newUuid()
  const event = {
    ...exampleEvent(type),
    id: eventIdOf(eventId),
    occurred_at: new Date().toISOString(),
    mode,
    organization_id: organizationId,
  }
  const body = JSON.stringify(event)
  const { outcome, attempt } = await sendWebhook(egress.onBehalfOf(organizationId), {
    url: endpoint.url,
    id: event.id,
    body,
    format: endpoint.format,
    signers: await openSigners(vault, signedFor(endpoint), endpoint),
    timeoutMs: DEFAULT_TIMING.attemptTimeoutMs,
  })
  const status = outcome === 'delivered' ? 'delivered' : 'failed'
  const delivery = { id: newUuid(), eventId, type, body, status, attempt } as const
  if (!(await deliveryStore.insertTest(db, endpoint, delivery)))
    throw new Refusal('webhook_endpoint_not_found')
  return { deliveryId: delivery.id, outcome, attempt }
}
