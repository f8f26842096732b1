import {
  WebhookDeliveries,
  WebhookDelivery,
  WebhookDeliveryQuery,
  WebhookReplay,
  WebhookReplayResult,
} from '@carabiner/contract'
import { Type } from 'typebox'
import { parsePage } from '../../core/cursor.ts'
import { parseTime } from '../../core/parse-time.ts'
import { Refusal } from '../../core/refusal.ts'
import { readTimeCursor, writeTimeCursor } from '../../core/time-cursor.ts'
import { isUuid } from '../../core/uuid.ts'
import type { Api } from '../../edge/api.ts'
import type { Database } from '../../platform/database/database.ts'
import type { ReadDatabase } from '../../platform/database/read-database.ts'
import { eventIdOf } from '../events/to-event.ts'
import { deliveryListStore, type PlacedDelivery } from './delivery-list-store.ts'
import { deliveryStore, type StoredDelivery } from './delivery-store.ts'
import { requireEndpoint } from './endpoint-routes.ts'
import { type Replayed, replayDeliveries } from './replay-deliveries.ts'

const tags = ['Webhooks']
const IdPath = Type.Object({ id: Type.String() })

export const webhookDeliveryRoutes = (
  api: Api,
  { db, lists }: { db: Database; lists: ReadDatabase },
): void => {
  api.get(
    '/webhook-endpoints/:id/deliveries',
    {
      config: { errors: ['webhook_endpoint_not_found', 'invalid_cursor'] },
      schema: {
        summary: 'List the deliveries to a webhook endpoint, newest first',
        tags,
        params: IdPath,
        querystring: WebhookDeliveryQuery,
        response: { 200: WebhookDeliveries },
      },
    },
    async request => {
      const { limit, before } = positionOf(request.query)
      const endpoint = await requireEndpoint(db, request.principal, request.params.id)
      const status = request.query.status ?? null
      return showPage(
        await deliveryListStore.list(lists, endpoint, status, { before, limit: limit + 1 }),
        limit,
      )
    },
  )

  api.get(
    '/webhook-deliveries',
    {
      config: { errors: ['invalid_cursor'] },
      schema: {
        summary: 'List the deliveries to all webhook endpoints of the mode, newest first',
        tags,
        querystring: WebhookDeliveryQuery,
        response: { 200: WebhookDeliveries },
      },
    },
    async request => {
      const { limit, before } = positionOf(request.query)
      const status = request.query.status ?? null
      const page = { before, limit: limit + 1 }
      return showPage(await deliveryListStore.listOfMode(lists, request.principal, status, page), limit)
    },
  )

  api.get(
    '/webhook-deliveries/:id',
    {
      config: { errors: ['webhook_delivery_not_found'] },
      schema: {
        summary: 'Retrieve a delivery, with every attempt',
        tags,
        params: IdPath,
        response: { 200: WebhookDelivery },
      },
    },
    async request => {
      const { id } = request.params
      const delivery = isUuid(id) ? await deliveryListStore.find(db, request.principal, id) : null
      if (!delivery) throw new Refusal('webhook_delivery_not_found')
      return showDelivery(delivery)
    },
  )

  api.post(
    '/webhook-deliveries/:id/replay',
    {
      config: {
        errors: ['webhook_delivery_not_found'],
        audit: { action: 'webhook_delivery.replayed', target: 'params.id' },
      },
      schema: {
        summary: 'Make a delivery again',
        description: 'Starts with the first of ten attempts. The event keeps its ID.',
        tags,
        params: IdPath,
        response: { 202: WebhookDelivery },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const delivery = isUuid(id) ? await deliveryStore.replay(db, request.principal, id) : null
      if (!delivery) throw new Refusal('webhook_delivery_not_found')
      return reply.code(202).send(showDelivery(delivery))
    },
  )

  api.post(
    '/webhook-endpoints/:id/replay',
    {
      config: {
        errors: ['webhook_endpoint_not_found', 'invalid_request', 'invalid_cursor'],
        audit: { action: 'webhook_endpoint.replayed', target: 'params.id', values: ['deliveries'] },
      },
      schema: {
        summary: 'Make deliveries to a webhook endpoint again',
        description:
          'All that have failed, or those of a range of time. Also creates deliveries of events that were missed while the endpoint was disabled. A request makes up to 50,000; continue until next_cursor is null.',
        tags,
        params: IdPath,
        body: WebhookReplay,
        response: { 202: WebhookReplayResult },
      },
    },
    async (request, reply) => {
      const which = replayedOf(request.body)
      const until = parseTime('until', request.body.until)
      const after = readTimeCursor(request.body.cursor)
      const endpoint = await requireEndpoint(db, request.principal, request.params.id)
      const { deliveries, next } = await replayDeliveries(db, endpoint, which, {
        until,
        after: after && { place: after.at, id: after.id },
      })
      return reply
        .code(202)
        .send({ deliveries, next_cursor: next && writeTimeCursor({ at: next.place, id: next.id }) })
    },
  )
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

const showDelivery = (delivery: StoredDelivery): WebhookDelivery => ({
  id: delivery.id,
  webhook_endpoint_id: delivery.endpointId,
  event_id: eventIdOf(delivery.eventId),
  event_type: delivery.type,
  registered_user_id: delivery.registeredUserId,
  status: delivery.status,
  attempts: delivery.attempts,
  next_attempt_at: delivery.status === 'pending' ? delivery.dueAt.toISOString() : null,
  created_at: delivery.createdAt.toISOString(),
  finished_at: delivery.finishedAt?.toISOString() ?? null,
})
