import { Type } from 'typebox'
import { EventList, EventQuery } from '../events.ts'
import { declareOperations } from './operation.ts'

export const eventOperations = declareOperations('Events', {
  listEvents: {
    route: 'GET /events',
    client: 'events.list',
    summary: 'List events',
    description:
      'Newest first. Events of tool calls are listed by the start of the call. A page may be short or empty although more events exist. Continue until next_cursor is null.',
    query: EventQuery,
    responses: { 200: EventList },
    errors: ['invalid_cursor', 'invalid_request'],
    tool: { name: 'list_events', access: 'read' },
  },
  streamEvents: {
    route: 'GET /events/stream',
    client: 'events.stream',
    summary: 'Stream events',
    description:
      'Server-sent events: `data` is an event, and `id` a position. With the header `Last-Event-ID`, the stream continues after that position; without it, it starts now. Events are sent in the order in which they were stored; one may be sent again after an interruption. Of events that were stored together, only the last has an `id`.',
    responses: { 200: Type.String() },
    errors: ['rate_limited'],
    types: ['text/event-stream'],
  },
})
