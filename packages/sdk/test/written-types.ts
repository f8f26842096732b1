import type * as published from '@carabiner/sdk'
import type * as derived from '../src/api-types.ts'

/** Asserts that the types in the built package equal those of the contract. `npm run check` fails if one differs. */
type Same<A, B> = [A, keyof A] extends [B, keyof B]
  ? [B, keyof B] extends [A, keyof A]
    ? true
    : never
  : never

type Organization = Same<published.Organization, derived.Organization>
type Customization = Same<published.LinkCustomization, derived.LinkCustomization>
type CustomizationPatch = Same<published.LinkCustomizationPatch, derived.LinkCustomizationPatch>
type Texts = Same<published.LinkCustomization['texts'], derived.LinkCustomization['texts']>
type McpConnector = Same<published.McpConnectorCreate, derived.McpConnectorCreate>
type McpTools = Same<published.McpToolsState, derived.McpToolsState>
type Pack = Same<published.ToolPack, derived.ToolPack>
type NewPack = Same<published.ToolPackWrite, derived.ToolPackWrite>
type User = Same<published.RegisteredUser, derived.RegisteredUser>
type NewUser = Same<published.RegisteredUserCreate, derived.RegisteredUserCreate>
type Credential = Same<published.Credential, derived.Credential>
type Session = Same<published.LinkSession, derived.LinkSession>
type TokenRequest = Same<published.LinkTokenRequest, derived.LinkTokenRequest>
type Event = Same<published.WebhookEvent, derived.WebhookEvent>
type EventsData = Same<published.WebhookEvent['data'], derived.WebhookEvent['data']>
type Endpoint = Same<published.NewWebhookEndpoint, derived.NewWebhookEndpoint>
type Delivery = Same<published.WebhookDelivery, derived.WebhookDelivery>

export const same: [Organization, Customization, CustomizationPatch, Texts] = [true, true, true, true]
export const sameConnectors: [McpConnector, McpTools, Pack, NewPack] = [true, true, true, true]
export const sameUsers: [User, NewUser, Credential] = [true, true, true]
export const sameLinking: [Session, TokenRequest] = [true, true]
export const sameWebhooks: [Event, EventsData, Endpoint, Delivery] = [true, true, true, true]
