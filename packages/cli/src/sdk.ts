export {
  CarabinerError,
  type Client,
  createClient,
  type EventType,
  type ExplainRequest,
  type Explanation,
  type NewWebhookEndpoint,
  type WebhookDelivery,
  type WebhookEndpoint,
  type WebhookEvent,
} from '@carabiner/sdk'
