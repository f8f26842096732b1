/** The package @carabiner/sdk exports its build, and the command line runs without a build. */
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
} from '../../sdk/src/index.ts'
