export type * from './api-types.ts'
export {
  type ApprovalMeta,
  type AuthenticateMeta,
  findApprovalMeta,
  findAuthenticateMeta,
  isExpired,
} from './authenticate-meta.ts'
export { CarabinerError, type CarabinerErrorFields, type ConnectionCode } from './carabiner-error.ts'
export { type Client, type ClientOptions, createClient } from './create-client.ts'
export type { EventStream, EventStreamOptions } from './event-stream.ts'
export type { EventType } from './events.ts'
export type { LogoImage, LogoTheme } from './link-customization.ts'

import type { ListToolCallsQuery } from './methods.ts'

export type * from './methods.ts'
export type ToolCallFilter = Omit<ListToolCallsQuery, 'limit'>
export { type McpUrlOptions, mcpUrl } from './mcp-url.ts'
export type { Page, PageOptions, Pages, WholeList } from './pages.ts'
export {
  type Callback,
  CallbackError,
  type CallbackErrorCode,
  readCallback,
  type StatelessCallback,
} from './read-callback.ts'
export type { ApiRequest, CallOptions, PostOptions } from './send.ts'
export { verifyPolicyHook, verifyWebhook, verifyWebhookBatch, type WebhookBody } from './verify-webhook.ts'
export { WebhookError, type WebhookErrorCode, type WebhookHeaders } from './webhook-signature.ts'
export { type AuthenticationOptions, type RetryOptions, withAuthentication } from './with-authentication.ts'
