import { type EventType, type WebhookEvent } from '@carabiner/contract'
import { operations } from '@carabiner/contract/operations'
import { parsePage } from '../../core/cursor.ts'
import { Refusal } from '../../core/refusal.ts'
import { readTimeCursor, writeTimeCursor } from '../../core/time-cursor.ts'
import { isUuid } from '../../core/uuid.ts'
import type { Api } from '../../edge/api.ts'
import { serve } from '../../edge/serve.ts'
import type { ReadDatabase } from '../../platform/database/read-database.ts'
import { eventFeedStore } from './event-feed-store.ts'
import type { EventStreams } from './event-streams.ts'
import { pickEvents } from './pick-events.ts'
import { sendEventStream } from './send-event-stream.ts'
import { toEvent } from './to-event.ts'

/** Rows that one page reads at most, if only some types are wanted. */
const MAX_SCAN = 1000

/** Events of tool calls and of security rules are derived from their records. */
const isStored = (type: EventType): boolean => !/^(tool_call|rule)\./.test(type)

type Deps = { lists: ReadDatabase; eventStreams: EventStreams }

/** The routes return events of the API key's mode, and those that concern both modes. */
export const eventRoutes = (api: Api, { lists, eventStreams }: Deps): void => {
  serve(api, operations.listEvents, async (request, reply) => {
    const { cursor, limit: given, type, registered_user_id: userId } = request.query
    const { limit } = parsePage({ ...(given !== undefined && { limit: given }) })
    if (userId !== undefined && !isUuid(userId))
      throw new Refusal('invalid_request', {
        param: 'registered_user_id',
        message: '"registered_user_id" must be a UUID.',
      })
    const after = readTimeCursor(cursor)
    const { organizationId, mode } = request.principal
    const before = after && { place: after.at, id: after.id }
    const isIndexed = type !== undefined && userId === undefined && isStored(type)
    const scan = type === undefined || isIndexed ? limit + 1 : MAX_SCAN
    const rows = isIndexed
      ? await eventFeedStore.listOfType(lists, request.principal, type, before, scan)
      : await eventFeedStore.list(lists, request.principal, userId ?? null, before, scan)
    const { events, next } = pickEvents(rows, { type, limit, scan })
    const data: WebhookEvent[] = events.map(event => toEvent(organizationId, mode, event))
    const page = { data, next_cursor: next && writeTimeCursor({ at: next.place, id: next.id }) }
    // The schema has many alternatives, which the serializer would try one after the other.
    return reply.type('application/json; charset=utf-8').send(JSON.stringify(page))
  })

  serve(api, operations.streamEvents, (request, reply) => {
    const position = request.headers['last-event-id']
    sendEventStream(reply, send =>
      eventStreams.follow(request.principal, typeof position === 'string' ? position : null, send),
    )
    return reply
  })
}
