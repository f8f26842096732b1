import type { WebhookEvent } from './api-types.ts'
import type { EventStream, EventStreamOptions, Follow } from './event-stream.ts'

export type EventType = WebhookEvent['type']

/** Yields events as they happen, and reconnects when the connection is lost. */
export const streamEvents =
  (follow: Follow) =>
  (options: EventStreamOptions = {}): EventStream<WebhookEvent> =>
    follow<WebhookEvent>('/events/stream', options)
