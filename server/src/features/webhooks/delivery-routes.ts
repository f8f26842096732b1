import type { WebhookDelivery, WebhookReplay } from '@carabiner/contract'
import { operations } from '@carabiner/contract/operations'
import { parsePage } from '../../core/cursor.ts'
import { parseTime } from '../../core/parse-time.ts'
import { Refusal } from '../../core/refusal.ts'
import { readTimeCursor, writeTimeCursor } from '../../core/time-cursor.ts'
import { isUuid } from '../../core/uuid.ts'
import type { Api } from '../../edge/api.ts'
import { serve } from '../../edge/serve.ts'
import type { Database } from '../../platform/database/database.ts'
import type { ReadDatabase } from '../../platform/database/read-database.ts'
import { eventIdOf } from '../events/to-event.ts'
import { deliveryListStore, type PlacedDelivery } from './delivery-list-store.ts'
import { type Attempt, deliveryStore, type StoredDelivery } from './delivery-store.ts'
import { requireEndpoint } from './endpoint-routes.ts'
import { type Replayed, replayDeliveries } from './replay-deliveries.ts'

export const webhookDeliveryRoutes = (
  api: Api,
  { db, lists }: { db: Database; lists: ReadDatabase },
): void => {
  serve(api, operations.listWebhookDeliveries, async request => {
    const { limit, before } = positionOf(request.query)
    const endpoint = await requireEndpoint(db, request.principal, request.params.id)
    const status = request.query.status ?? null
    return showPage(
      await deliveryListStore.list(lists, endpoint, status, { before, limit: limit + 1 }),
      limit,
    )
  })

  serve(api, operations.listAllWebhookDeliveries, async request => {
    const { limit, before } = positionOf(request.query)
    const status = request.query.status ?? null
    const page = { before, limit: limit + 1 }
    return showPage(await deliveryListStore.listOfMode(lists, request.principal, status, page), limit)
  })

  serve(api, operations.getWebhookDelivery, async request => {
    const { id } = request.params
    const delivery = isUuid(id) ? await deliveryListStore.find(db, request.principal, id) : null
    if (!delivery) throw new Refusal('webhook_delivery_not_found')
    return { ...showDelivery(delivery), request_body: delivery.body, attempts: delivery.attempts }
  })

  serve(api, operations.replayWebhookDelivery, async request => {
    const { id } = request.params
    if (!isUuid(id)) throw new Refusal('webhook_delivery_not_found')
    const delivery = await deliveryStore.replay(db, request.principal, id)
    if (delivery) return showDelivery(delivery)
    const isTest = (await deliveryListStore.find(db, request.principal, id)) !== null
    throw new Refusal(isTest ? 'webhook_delivery_is_test' : 'webhook_delivery_not_found')
  })

  serve(api, operations.replayWebhookDeliveries, async request => {
    const which = replayedOf(request.body)
    const until = parseTime('until', request.body.until)
    const after = readTimeCursor(request.body.cursor)
    const endpoint = await requireEndpoint(db, request.principal, request.params.id)
    const { deliveries, next } = await replayDeliveries(db, endpoint, which, {
      until,
      after: after && { place: after.at, id: after.id },
    })
    return { deliveries, next_cursor: next && writeTimeCursor({ at: next.place, id: next.id }) }
  })
}

type PageQuery = { cursor?: string; limit?: string }
const positionOf = ({ cursor, limit: given }: PageQuery) => {
  const { limit } = parsePage({ ...(given !== undefined && { limit: given }) })
  const after = readTimeCursor(cursor)
  return { limit, before: after && { place: after.at, id: after.id } }
}

const showPage = (rows: PlacedDelivery[], limit: number) => {
  const data = rows.slice(0, limit)
  const last = rows.length > limit ? data.at(-1) : undefined
  return {
    data: data.map(showDelivery),
    next_cursor: last ? writeTimeCursor({ at: last.place, id: last.id }) : null,
  }
}

const replayedOf = ({ status = 'failed', since: given }: WebhookReplay): Replayed => {
  const since = parseTime('since', given)
  if (status !== 'missed') return { status, since }
  if (!since)
    throw new Refusal('invalid_request', {
      param: 'since',
      message: '"since" is required for missed events.',
    })
  return { status, since }
}

/** Lists have no headers. */
const showAttempt = ({ at, duration_ms, response_status, response_body, error }: Attempt) => ({
  at,
  duration_ms,
  response_status,
  response_body,
  error,
})

const showDelivery = (delivery: StoredDelivery): WebhookDelivery => ({
  id: delivery.id,
  webhook_endpoint_id: delivery.endpointId,
  event_id: eventIdOf(delivery.eventId),
  event_type: delivery.type,
  registered_user_id: delivery.registeredUserId,
  is_test: delivery.isTest,
  status: delivery.status,
  attempts: delivery.attempts.map(showAttempt),
  next_attempt_at: delivery.status === 'pending' ? delivery.dueAt.toISOString() : null,
  created_at: delivery.createdAt.toISOString(),
  finished_at: delivery.finishedAt?.toISOString() ?? null,
})
