import { SECOND } from '../../core/duration.ts'
import type { Signer } from '../../core/webhook-signature.ts'
import type { Database, Queryable } from '../../platform/database/database.ts'
import type { Egress } from '../../platform/egress/egress.ts'
import { recordEvent } from '../events/record-event.ts'
import { eventIdOf } from '../events/to-event.ts'
import { type DueDelivery, deliveryStore } from './delivery-store.ts'
import type { DeliveryTiming } from './delivery-timing.ts'
import { type DisabledReason, endpointStore, type LeasedEndpoint } from './endpoint-store.ts'
import { delayAfter } from './retry-schedule.ts'
import { type SendOutcome, type SentWebhook, sendWebhook } from './send-webhook.ts'
import type { WebhookMetrics } from './webhook-metrics.ts'

export type DeliverDeps = {
  db: Database
  batched: Queryable
  egress: Egress
  timing: DeliveryTiming
  webhookMetrics: WebhookMetrics
}
/** An endpoint while a page of deliveries is sent. */
export type ServedEndpoint = { endpoint: LeasedEndpoint; signers: Signer[]; isSuccessRecorded: boolean }
/** Deliveries that were read from the database at a time of `performance.now()`. */
export type ReadDeliveries = { readAt: number; deliveries: [DueDelivery, ...DueDelivery[]] }

/** `saved`: when the outcome is stored. If the process is killed before, the events are sent again. */
export type Delivered = { outcome: SendOutcome; saved: Promise<void> }

/** Sends one event, or the events of one batch, and stores the outcome. */
export const deliver = async (
  deps: DeliverDeps,
  served: ServedEndpoint,
  { readAt, deliveries }: ReadDeliveries,
): Promise<Delivered> => {
  const { endpoint, signers } = served
  const [first] = deliveries
  const waitedMs = performance.now() - readAt
  for (const { lagMs } of deliveries) if (lagMs !== null) deps.webhookMetrics.firstAttempt(lagMs + waitedMs)
  const sent = await sendWebhook(deps.egress.onBehalfOf(endpoint.organizationId), {
    url: endpoint.url,
    id: first.batchId === null ? eventIdOf(first.eventId) : `batch_${first.batchId}`,
    body: deliveries.map(({ body }) => body).join('\n'),
    format: endpoint.format,
    signers,
    timeoutMs: deps.timing.attemptTimeoutMs,
  })
  deps.webhookMetrics.attempted(endpoint.format, sent.outcome, sent.attempt.duration_ms)
  return { outcome: sent.outcome, saved: save(deps, served, deliveries, sent) }
}

const save = async (
  deps: DeliverDeps,
  served: ServedEndpoint,
  deliveries: [DueDelivery, ...DueDelivery[]],
  { outcome, attempt, retryAfterMs }: SentWebhook,
): Promise<void> => {
  const { endpoint } = served
  const [first, ...others] = deliveries
  const { retryDelaysMs, breakerWaitsMs } = deps.timing
  const delay =
    outcome === 'delivered' ? null : delayAfter(retryDelaysMs, first.attemptCount + 1, retryAfterMs)
  const status = outcome === 'delivered' ? 'delivered' : delay === null ? 'failed' : 'pending'
  const saving = deliveryStore.saveAttempt(
    deps.batched,
    endpoint.organizationId,
    [first.id, ...others.map(({ id }) => id)],
    { status, attempt, delaySeconds: (delay ?? 0) / SECOND },
  )
  if (outcome === 'delivered') return void (await Promise.all([saving, recordSuccess(deps, served)]))
  await saving
  await endpointStore.recordFailure(
    deps.batched,
    endpoint,
    breakerWaitsMs.map(wait => wait / SECOND),
  )
  if (outcome === 'gone') await disable(deps.db, endpoint, 'gone', null)
  else if (status === 'failed') await disable(deps.db, endpoint, 'attempts_exhausted', first.createdAt)
}

/** Once for each page, which is enough for the circuit breaker. */
const recordSuccess = async (deps: DeliverDeps, served: ServedEndpoint): Promise<void> => {
  if (served.isSuccessRecorded) return
  served.isSuccessRecorded = true
  await endpointStore.recordSuccess(deps.batched, served.endpoint)
}

/** An endpoint that has worked since the event happened stays active: it rejects this event only. */
const disable = (
  db: Database,
  endpoint: LeasedEndpoint,
  reason: DisabledReason,
  unlessSuccessSince: Date | null,
): Promise<void> =>
  db.transaction(async tx => {
    const disabled = await endpointStore.disable(tx, endpoint, reason, unlessSuccessSince)
    if (!disabled) return
    const { organizationId, id, mode } = disabled
    await recordEvent(tx, {
      organizationId,
      registeredUserId: null,
      mode,
      type: 'webhook_endpoint.disabled',
      // Without the URL: others receive the event, and the path of a URL may be secret.
      payload: { webhook_endpoint_id: id, reason },
    })
  })
