import type {
  NewWebhookEndpoint,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEndpointCreate,
  WebhookEndpointPatch,
  WebhookReplay,
  WebhookReplayResult,
  WebhookTest,
  WebhookTestResult,
} from './api-types.ts'
import { createPages, type Page, type PageOptions } from './pages.ts'
import { path } from './path.ts'
import type { CallOptions, PostOptions, Send } from './send.ts'

export type DeliveryFilter = PageOptions & { status?: WebhookDelivery['status'] }

/** URLs that receive the events of the mode (production or test) of the client's key. */
export const webhookEndpoints = (send: Send) => ({
  list: ({ limit }: PageOptions = {}, options?: CallOptions) =>
    createPages(cursor =>
      send<Page<WebhookEndpoint>>('GET', '/webhook-endpoints', options, { query: { limit, cursor } }),
    ),
  /** The secret is returned only in this response, so the request is not retried. */
  create: (body: WebhookEndpointCreate, options?: CallOptions) =>
    send<NewWebhookEndpoint>('POST', '/webhook-endpoints', options, { body, once: true }),
  get: (id: string, options?: CallOptions) =>
    send<WebhookEndpoint>('GET', path`/webhook-endpoints/${id}`, options),
  /** `paused: false` resumes a paused endpoint and enables a disabled one. */
  update: (id: string, body: WebhookEndpointPatch, options?: CallOptions) =>
    send<WebhookEndpoint>('PATCH', path`/webhook-endpoints/${id}`, options, { body }),
  delete: (id: string, options?: CallOptions) =>
    send<void>('DELETE', path`/webhook-endpoints/${id}`, options),
  /** Webhooks have the signatures of both secrets for 24 hours. The new one is returned only in this response. */
  rotateSecret: (id: string, options?: CallOptions) =>
    send<NewWebhookEndpoint>('POST', path`/webhook-endpoints/${id}/rotate-secret`, options, { once: true }),
  /** Sends an event with example data once, and returns the response of the receiver. */
  test: (id: string, body: WebhookTest = {}, options?: CallOptions) =>
    send<WebhookTestResult>('POST', path`/webhook-endpoints/${id}/test`, options, { body, once: true }),
  /** Makes failed deliveries again, or those of a range of time. */
  replay: (id: string, body: WebhookReplay = {}, options?: PostOptions) =>
    send<WebhookReplayResult>('POST', path`/webhook-endpoints/${id}/replay`, options, { body }),
  /** Newest first, with every attempt. */
  deliveries: (id: string, filter: DeliveryFilter = {}, options?: CallOptions) =>
    createPages(cursor =>
      send<Page<WebhookDelivery>>('GET', path`/webhook-endpoints/${id}/deliveries`, options, {
        query: { ...filter, cursor },
      }),
    ),
})

export const webhookDeliveries = (send: Send) => ({
  /** To all endpoints of the mode, newest first. */
  list: (filter: DeliveryFilter = {}, options?: CallOptions) =>
    createPages(cursor =>
      send<Page<WebhookDelivery>>('GET', '/webhook-deliveries', options, { query: { ...filter, cursor } }),
    ),
  get: (id: string, options?: CallOptions) =>
    send<WebhookDelivery>('GET', path`/webhook-deliveries/${id}`, options),
  /** Makes one delivery again, with up to ten attempts. The event keeps its ID. */
  replay: (id: string, options?: PostOptions) =>
    send<WebhookDelivery>('POST', path`/webhook-deliveries/${id}/replay`, options),
})
