import type { WebhookEvent } from './api-types.ts'
import type { EventStream, EventStreamOptions, Follow } from './event-stream.ts'
import { createPages, type Page, type PageOptions } from './pages.ts'
import type { CallOptions, Send } from './send.ts'

export type EventType = WebhookEvent['type']
export type EventFilter = PageOptions & { type?: EventType; registered_user_id?: string }

/** Events in the mode (production or test) of the client's key. */
export const events = (send: Send, follow: Follow) => ({
  /** Newest first. Pages are fetched as you iterate. */
  list: (filter: EventFilter = {}, options?: CallOptions) =>
    createPages(cursor =>
      send<Page<WebhookEvent>>('GET', '/events', options, { query: { ...filter, cursor } }),
    ),
  /** Yields events as they happen, and reconnects when the connection is lost. */
  stream: (options: EventStreamOptions = {}): EventStream<WebhookEvent> =>
    follow<WebhookEvent>('/events/stream', options),
})
