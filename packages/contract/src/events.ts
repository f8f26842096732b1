import { type Static, type TSchema, Type } from 'typebox'
import { callOutcomes } from './record-resources.ts'
import { Id, orNull, Page, pageOf, Timestamp } from './resources.ts'

const strict = { additionalProperties: false } as const
const data = <T extends Record<string, TSchema>>(properties: T) => Type.Object(properties, strict)

const Slug = Type.String({ description: 'Slug of the connector.' })
const Scopes = Type.Array(Type.String())

const User = data({ origin_user_id: Type.String({ description: 'The application’s own ID of the user.' }) })
const Session = data({ link_session_id: Id })
const Credential = data({ credential_id: Id, connector_slug: Slug })
const StoredCredential = {
  credential_id: Id,
  connector_slug: Slug,
  scopes: Scopes,
  account: orNull(Type.String({ description: 'The linked account, as the provider names it.' })),
}
const EndedCredential = data({
  credential_id: Id,
  connector_slug: Slug,
  reason: Type.String({ description: 'Why the credential cannot be used any more.' }),
})
const ToolCall = data({
  tool_call_id: Id,
  tool_pack_id: Id,
  connector_slug: Type.String({
    description: 'Slug of the connector; empty for a tool of Carabiner itself.',
  }),
  tool: Type.String(),
  outcome: Type.Enum(callOutcomes),
  error_code: orNull(Type.String()),
  request_id: Type.String(),
  trace_id: orNull(Type.String()),
  third_party_ms: orNull(Type.Integer()),
})

type EventDefinition<Data extends TSchema> = {
  /** What has happened. */
  summary: string
  data: Data
  example: Static<Data>
  /** Whether the event concerns a Registered User. */
  hasUser: boolean
}
const ofUser = <Data extends TSchema>(summary: string, schema: Data, example: Static<Data>) =>
  ({ summary, data: schema, example, hasUser: true }) satisfies EventDefinition<Data>
const ofOrganization = <Data extends TSchema>(summary: string, schema: Data, example: Static<Data>) =>
  ({ summary, data: schema, example, hasUser: false }) satisfies EventDefinition<Data>

const id = (last: number) => `0198c0de-0000-7000-8000-${String(last).padStart(12, '0')}`
const user = { origin_user_id: 'user_42' }
const session = { link_session_id: id(3) }
const credential = { credential_id: id(4), connector_slug: 'github' }
const call = {
  tool_call_id: id(5),
  tool_pack_id: id(6),
  connector_slug: 'github',
  tool: 'list_issues',
  request_id: 'req_4f9a0c2d7b1e8365',
  trace_id: null,
}

/** All events, with the form of their data. */
export const eventCatalog = {
  'registered_user.created': ofUser('A Registered User was created.', User, user),
  'registered_user.updated': ofUser('Name, e-mail address, metadata or rate limit were changed.', User, user),
  'registered_user.deactivated': ofUser(
    'The user was deactivated. Their credentials are revoked, and calls are rejected.',
    User,
    user,
  ),
  'registered_user.reactivated': ofUser('The user was activated again.', User, user),
  'registered_user.deleted': ofUser(
    'The user was deleted, with everything that was stored about them, including earlier events.',
    data({}),
    {},
  ),
  'link.opened': ofUser(
    'A person has opened the link. Previews of mail programs do not count.',
    Session,
    session,
  ),
  'link.completed': ofUser(
    'The user has connected a connector.',
    data({
      link_session_id: Id,
      connector_slug: Slug,
      scopes: Scopes,
      awaits_confirmation: Type.Boolean({
        description: 'Whether the credential is stored only when the backend redeems the authorization code.',
      }),
    }),
    { ...session, connector_slug: 'github', scopes: ['repo'], awaits_confirmation: false },
  ),
  'link.exited': ofUser('The user has closed Link without connecting anything.', Session, session),
  'link.failed': ofUser(
    'Connecting has failed.',
    data({ link_session_id: Id, reason: Type.Optional(Type.String()) }),
    { ...session, reason: 'provider_error' },
  ),
  'link.renewal_requested': ofUser(
    'The link had expired, and the user asks for a new one.',
    data({ link_session_id: Id, connector_slug: orNull(Slug) }),
    { ...session, connector_slug: 'github' },
  ),
  'credential.created': ofUser('A credential was stored.', data(StoredCredential), {
    ...credential,
    scopes: ['repo'],
    account: 'ana',
  }),
  'credential.replaced': ofUser(
    'The user has linked the connector again. The credential keeps its ID.',
    data({
      ...StoredCredential,
      previous_account: orNull(Type.String()),
      account_changed: Type.Boolean({ description: 'Whether the user has linked another account.' }),
    }),
    { ...credential, scopes: ['repo'], account: 'ana', previous_account: 'ana', account_changed: false },
  ),
  'credential.refreshed': ofUser('The access token was refreshed.', Credential, credential),
  'credential.needs_reauth': ofUser(
    'The credential does not work any more. The next call returns a link.',
    EndedCredential,
    { ...credential, reason: 'revoked' },
  ),
  'credential.revoked': ofUser('The credential was revoked and deleted.', EndedCredential, {
    ...credential,
    reason: 'user_deactivated',
  }),
  'tool_call.completed': ofUser('A tool call has succeeded.', ToolCall, {
    ...call,
    outcome: 'success',
    error_code: null,
    third_party_ms: 184,
  }),
  'tool_call.failed': ofUser(
    'A tool call has failed, was limited, or was interrupted so that its outcome is unknown.',
    ToolCall,
    { ...call, outcome: 'error', error_code: 'third_party_error', third_party_ms: 91 },
  ),
  'tool_call.blocked': ofUser('A security rule has blocked a tool call.', ToolCall, {
    ...call,
    outcome: 'blocked',
    error_code: 'security_rule_blocked',
    third_party_ms: null,
  }),
  'rule.violated': ofUser(
    'A security rule has matched the arguments or the result of a call. The matched values are not stored.',
    data({
      rule_violation_id: Id,
      tool_call_id: Id,
      direction: Type.Enum(['inbound', 'outbound']),
      entity: Type.String(),
      rule: Type.String(),
      action: Type.Enum(['block', 'redact', 'log']),
      count: Type.Integer(),
      dry_run: Type.Boolean(),
    }),
    {
      rule_violation_id: id(7),
      tool_call_id: id(5),
      direction: 'outbound',
      entity: 'credit_card',
      rule: 'credit_card',
      action: 'redact',
      count: 1,
      dry_run: false,
    },
  ),
  'connector.tools_changed': ofOrganization(
    'An MCP server offers other tools than before.',
    data({
      connector_slug: Slug,
      tools_hash: Type.String(),
      accepted: Type.Boolean({ description: 'Whether the new tools are served already, without a review.' }),
    }),
    { connector_slug: 'wiki', tools_hash: '9f2c', accepted: false },
  ),
  'tool_pack.updated': ofOrganization(
    'A Tool Pack or its security rules were changed.',
    data({ tool_pack_id: Id, name: Type.String(), change: Type.Enum(['created', 'updated', 'deleted']) }),
    { tool_pack_id: id(6), name: 'Support', change: 'updated' },
  ),
  'api_key.regenerated': ofOrganization(
    'An API key was replaced. The old one does not work any more.',
    data({ api_key_id: Id, replaced_api_key_id: orNull(Id) }),
    { api_key_id: id(8), replaced_api_key_id: id(9) },
  ),
  'usage.limit_reached': ofOrganization(
    'The plan’s limit of tool calls was reached in this billing cycle.',
    data({ cycle: Type.String({ description: 'First day of the cycle.' }), limit: Type.Integer() }),
    { cycle: '2026-11-01', limit: 10_000 },
  ),
  'webhook_endpoint.disabled': ofOrganization(
    'A webhook endpoint was disabled, because it answered 410 or all attempts of a delivery have failed.',
    data({ webhook_endpoint_id: Id, reason: Type.Enum(['gone', 'attempts_exhausted']) }),
    { webhook_endpoint_id: id(10), reason: 'gone' },
  ),
} as const

export type EventType = keyof typeof eventCatalog
export type EventData<Kind extends EventType> = Static<(typeof eventCatalog)[Kind]['data']>
export const eventTypes = Object.keys(eventCatalog) as EventType[]

const envelope = <Kind extends EventType>(type: Kind, schema: (typeof eventCatalog)[Kind]['data']) =>
  Type.Object(
    {
      id: Type.String({
        pattern: '^evt_',
        description: 'The same in all attempts; also the header `webhook-id`.',
      }),
      type: Type.Literal(type),
      occurred_at: Timestamp,
      mode: Type.Enum(['production', 'test']),
      organization_id: Id,
      registered_user_id: orNull(Id),
      sequence: orNull(
        Type.Integer({ description: 'Events about users, links and credentials: per user, without gaps.' }),
      ),
      data: schema,
    },
    { ...strict, title: type, description: eventCatalog[type].summary },
  )

/** One schema for each type. */
export const eventSchemas = Object.fromEntries(
  eventTypes.map(type => [type, envelope(type, eventCatalog[type].data)]),
) as Record<string, TSchema>

/** An event as it is sent to webhook endpoints. `type` tells the form of `data`. */
export type WebhookEvent = {
  [Kind in EventType]: {
    id: string
    type: Kind
    occurred_at: string
    mode: 'production' | 'test'
    organization_id: string
    registered_user_id: string | null
    sequence: number | null
    data: EventData<Kind>
  }
}[EventType]

export const EventPayload = Type.Union(Object.values(eventSchemas), {
  description: 'An event. `type` tells the form of `data`.',
})
export const EventList = pageOf(EventPayload)

export const EventQuery = Type.Object(
  {
    ...Page.Query.properties,
    type: Type.Optional(Type.Enum(eventTypes)),
    registered_user_id: Type.Optional(Type.String({ maxLength: 64 })),
  },
  strict,
)

/** An event with example data, for tests of receivers. */
export const exampleEvent = (type: EventType): WebhookEvent =>
  ({
    id: `evt_${id(1)}`,
    type,
    occurred_at: '2026-11-01T12:00:00.000Z',
    mode: 'test',
    organization_id: id(2),
    registered_user_id: eventCatalog[type].hasUser ? id(11) : null,
    sequence: hasSequence(type) ? 1 : null,
    data: eventCatalog[type].example,
  }) as WebhookEvent

const hasSequence = (type: EventType): boolean => /^(registered_user|link|credential)\./.test(type)
