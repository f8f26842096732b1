import { type Static, Type } from 'typebox'
import { eventTypes } from './events.ts'
import { Id, orNull, Page, pageOf, Timestamp } from './resources.ts'

const strict = { additionalProperties: false } as const

const Url = Type.String({
  minLength: 1,
  maxLength: 2048,
  description: 'HTTPS. In development also HTTP on a loopback address.',
})
const EventTypes = Type.Array(Type.Enum(eventTypes), { minItems: 1, uniqueItems: true })
const Description = Type.String({ maxLength: 255 })
const Format = Type.Enum(['single', 'batch'], {
  description:
    '`batch`: one request has up to 500 events or 1 MB as newline-delimited JSON, compressed with gzip, and is signed before compression.',
})
const Signature = Type.Enum(['v1', 'v1a'], {
  description:
    'Standard Webhooks: `v1` is HMAC-SHA256 with a shared secret, `v1a` is Ed25519 with a public key.',
})

export const WebhookEndpoint = Type.Object({
  id: Id,
  url: Url,
  mode: Type.Enum(['production', 'test'], { description: 'Events of this mode are delivered.' }),
  event_types: orNull(EventTypes),
  description: orNull(Description),
  format: Format,
  signature: Signature,
  public_key: orNull(Type.String({ description: 'For `v1a`: verifies the signatures (`whpk_…`).' })),
  status: Type.Enum(['active', 'paused', 'disabled'], {
    description: 'A paused endpoint gets its events when it is resumed. A disabled one does not.',
  }),
  disabled_reason: orNull(Type.Enum(['gone', 'attempts_exhausted'])),
  last_success_at: orNull(Timestamp),
  created_at: Timestamp,
})
export type WebhookEndpoint = Static<typeof WebhookEndpoint>
export const WebhookEndpoints = pageOf(WebhookEndpoint)

const Secret = orNull(
  Type.String({ description: 'For `v1`: the secret (`whsec_…`). It is shown only once.' }),
)
export const NewWebhookEndpoint = Type.Object({ ...WebhookEndpoint.properties, secret: Secret })

export const WebhookEndpointCreate = Type.Object(
  {
    url: Url,
    event_types: Type.Optional(orNull(EventTypes)),
    description: Type.Optional(orNull(Description)),
    format: Type.Optional(Format),
    signature: Type.Optional(Signature),
  },
  strict,
)
export type WebhookEndpointCreate = Static<typeof WebhookEndpointCreate>

export const WebhookEndpointPatch = Type.Object(
  {
    url: Type.Optional(Url),
    event_types: Type.Optional(orNull(EventTypes)),
    description: Type.Optional(orNull(Description)),
    paused: Type.Optional(
      Type.Boolean({ description: 'False resumes a paused endpoint, and enables a disabled one.' }),
    ),
  },
  strict,
)
export type WebhookEndpointPatch = Static<typeof WebhookEndpointPatch>

const Attempt = Type.Object({
  at: Timestamp,
  duration_ms: Type.Integer(),
  response_status: orNull(Type.Integer()),
  response_body: orNull(Type.String({ description: 'The first 1,024 bytes.' })),
  error: orNull(Type.String({ description: 'Why there was no response.' })),
})

const AttemptDetail = Type.Object({
  ...Attempt.properties,
  request_headers: Type.Record(Type.String(), Type.String(), {
    description: 'Without the signatures: `webhook-signature` contains their versions only.',
  }),
  response_headers: orNull(
    Type.Record(Type.String(), Type.String(), {
      description:
        'Up to 40 headers and 4,096 characters. Values of cookies, tokens and other secrets are replaced by `[hidden]`.',
    }),
  ),
})

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const
export const WebhookDelivery = Type.Object({
  id: Id,
  webhook_endpoint_id: Id,
  event_id: Type.String(),
  event_type: Type.String(),
  registered_user_id: orNull(Id),
  is_test: Type.Boolean({
    description: 'Whether it was sent by `POST /webhook-endpoints/{id}/test`, with example data.',
  }),
  status: Type.Enum(deliveryStatuses),
  attempts: Type.Array(Attempt),
  next_attempt_at: orNull(Timestamp),
  created_at: Timestamp,
  finished_at: orNull(Timestamp),
})
export type WebhookDelivery = Static<typeof WebhookDelivery>
export const WebhookDeliveries = pageOf(WebhookDelivery)

export const WebhookDeliveryDetail = Type.Object({
  ...WebhookDelivery.properties,
  request_body: Type.String({
    description: 'The body that is signed, as it was sent. In a batch, it is one line of the body.',
  }),
  attempts: Type.Array(AttemptDetail),
})
export type WebhookDeliveryDetail = Static<typeof WebhookDeliveryDetail>
export const WebhookDeliveryQuery = Type.Object(
  { ...Page.Query.properties, status: Type.Optional(Type.Enum(deliveryStatuses)) },
  strict,
)

const Moment = (description: string) => Type.Optional(Type.String({ maxLength: 40, description }))
export const WebhookReplay = Type.Object(
  {
    status: Type.Optional(
      Type.Enum(['failed', 'delivered', 'missed'], {
        description:
          'Which deliveries are made again. `missed`: deliveries of events that have none, for example because the endpoint was disabled; requires `since`. Default: failed.',
      }),
    ),
    since: Moment(
      'Inclusive start: of the creation of the deliveries, or of the events that were missed. A date, or a date with time and time zone.',
    ),
    until: Moment('Exclusive end. Default: now.'),
    cursor: Type.Optional(
      Type.String({ maxLength: 200, description: 'The `next_cursor` of the previous request.' }),
    ),
  },
  strict,
)
export type WebhookReplay = Static<typeof WebhookReplay>
export const WebhookReplayResult = Type.Object({
  deliveries: Type.Integer(),
  next_cursor: orNull(
    Type.String({ description: 'Set if there may be more. Repeat the request with it as `cursor`.' }),
  ),
})

export const WebhookTest = Type.Object(
  {
    event_type: Type.Optional(
      Type.Enum(eventTypes, { description: 'The type of the event. Default: `registered_user.created`.' }),
    ),
  },
  strict,
)
export const WebhookTestResult = Type.Object({
  delivered: Type.Boolean(),
  delivery_id: Id,
  attempt: AttemptDetail,
})
