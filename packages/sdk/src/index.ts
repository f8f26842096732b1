export type * from './api-types.ts'
export type { AuditFilter } from './audit-entries.ts'
export { type AuthenticateMeta, findAuthenticateMeta, isExpired } from './authenticate-meta.ts'
export { CarabinerError, type CarabinerErrorFields, type ConnectionCode } from './carabiner-error.ts'
export type { ConnectorFilter } from './connectors.ts'
export { type Client, type ClientOptions, createClient } from './create-client.ts'
export type { EventStream, EventStreamOptions } from './event-stream.ts'
export type { EventFilter, EventType } from './events.ts'
export type { LogoImage, LogoTheme } from './link-customization.ts'
export { type McpUrlOptions, mcpUrl } from './mcp-url.ts'
export type { Page, PageOptions, Pages, WholeList } from './pages.ts'
export {
  type Callback,
  CallbackError,
  type CallbackErrorCode,
  readCallback,
  type StatelessCallback,
} from './read-callback.ts'
export type { UserFilter } from './registered-users.ts'
export type { RuleViolationFilter } from './security-rules.ts'
export type { CallOptions, PostOptions } from './send.ts'
export type { AffectedUsersFilter, SummaryOptions, UsageOptions } from './tool-calls.ts'
export { verifyWebhook, verifyWebhookBatch, type WebhookBody } from './verify-webhook.ts'
export { WebhookError, type WebhookErrorCode, type WebhookHeaders } from './webhook-signature.ts'
export type { DeliveryFilter } from './webhooks.ts'
export { type AuthenticationOptions, type RetryOptions, withAuthentication } from './with-authentication.ts'
