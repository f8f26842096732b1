import { withApi } from '../api/api-client.ts'
import type { NewWebhookEndpoint, WebhookDelivery, WebhookEndpoint } from '../api/sdk.ts'
import { take } from '../api/take.ts'
import type { CliContext } from '../program/cli-context.ts'
import { type Output, UsageError } from '../terminal/output.ts'
import { momentOf } from '../terminal/printable.ts'
import { details, table } from '../terminal/table.ts'
import { readEventTypes } from './event-types.ts'

export type EndpointFields = {
  url?: string
  types?: string
  description?: string
  format?: 'single' | 'batch'
  signature?: 'v1' | 'v1a'
}

const fieldsOf = ({ url, types, description }: EndpointFields) => {
  const eventTypes = readEventTypes(types)
  return {
    ...(url !== undefined && { url }),
    ...(eventTypes && { event_types: [...eventTypes] }),
    ...(description !== undefined && { description }),
  }
}

const describeEndpoint = ({ screen }: CliContext, endpoint: WebhookEndpoint): string =>
  details(
    [
      ['ID', endpoint.id],
      ['URL', endpoint.url],
      ['Status', endpoint.status],
      ['Format', endpoint.format],
      ['Types', endpoint.event_types?.join(', ') ?? 'all'],
      ['Description', endpoint.description],
    ],
    screen,
  )

const shown = (context: CliContext, endpoint: WebhookEndpoint): Output => ({
  text: describeEndpoint(context, endpoint),
  data: endpoint,
})

const shownWithSecret = (context: CliContext, endpoint: NewWebhookEndpoint): Output => ({
  text: [
    describeEndpoint(context, endpoint),
    '',
    endpoint.secret === null
      ? `Public key  ${endpoint.public_key}`
      : `Secret  ${endpoint.secret}\n\nShown only once. Receivers verify webhooks with it.`,
  ].join('\n'),
  data: endpoint,
})

export const listEndpoints = (context: CliContext): Promise<Output> =>
  withApi(context, async ({ client }) => {
    const endpoints = await take(client.webhookEndpoints.list(), Number.POSITIVE_INFINITY)
    return {
      text:
        endpoints.length === 0
          ? 'There are no webhook endpoints yet.'
          : table(
              endpoints,
              [
                { title: 'ID', value: each => each.id },
                { title: 'STATUS', value: each => each.status },
                { title: 'FORMAT', value: each => each.format },
                { title: 'URL', value: each => each.url, shrinks: true },
                { title: 'TYPES', value: each => each.event_types?.join(',') ?? 'all', shrinks: true },
              ],
              context.screen,
            ),
      data: endpoints,
    }
  })

export const createEndpoint = (context: CliContext, url: string, fields: EndpointFields): Promise<Output> => {
  const { format, signature } = fields
  const body = {
    ...fieldsOf(fields),
    url,
    ...(format !== undefined && { format }),
    ...(signature !== undefined && { signature }),
  }
  return withApi(context, async ({ client }) =>
    shownWithSecret(context, await client.webhookEndpoints.create(body)),
  )
}

export const updateEndpoint = (context: CliContext, id: string, fields: EndpointFields): Promise<Output> => {
  const body = fieldsOf(fields)
  if (Object.keys(body).length === 0)
    throw new UsageError('Use at least one of --url, --types and --description.')
  return withApi(context, async ({ client }) =>
    shown(context, await client.webhookEndpoints.update(id, body)),
  )
}

export const setPaused = (context: CliContext, id: string, paused: boolean): Promise<Output> =>
  withApi(context, async ({ client }) => shown(context, await client.webhookEndpoints.update(id, { paused })))

export const rotateSecret = (context: CliContext, id: string): Promise<Output> =>
  withApi(context, async ({ client }) =>
    shownWithSecret(context, await client.webhookEndpoints.rotateSecret(id)),
  )

export const deleteEndpoint = (context: CliContext, id: string): Promise<Output> =>
  withApi(context, async ({ client }) => {
    await client.webhookEndpoints.delete(id)
    return { text: `Deleted ${id} and its deliveries.`, data: { id } }
  })

export type DeliveryOptions = { status?: 'pending' | 'delivered' | 'failed'; limit: number }

export const listDeliveries = (
  context: CliContext,
  id: string,
  { status, limit }: DeliveryOptions,
): Promise<Output> =>
  withApi(context, async ({ client }) => {
    const filter = status === undefined ? {} : { status }
    const data = await take(client.webhookEndpoints.deliveries(id, filter), limit)
    const columns = [
      { title: 'CREATED', value: (each: WebhookDelivery) => momentOf(each.created_at) },
      { title: 'ID', value: (each: WebhookDelivery) => each.id },
      { title: 'TYPE', value: (each: WebhookDelivery) => each.event_type },
      { title: 'STATUS', value: (each: WebhookDelivery) => each.status },
      { title: 'ATTEMPTS', value: (each: WebhookDelivery) => each.attempts.length },
      { title: 'RESPONSE', value: lastResponse, shrinks: true },
    ]
    const text = data.length === 0 ? 'There are no deliveries.' : table(data, columns, context.screen)
    return { text, data }
  })

const lastResponse = ({ attempts }: WebhookDelivery): string | number | null => {
  const last = attempts.at(-1)
  return last ? (last.response_status ?? last.error) : 'no attempt yet'
}

export type ReplayOptions = { status?: 'failed' | 'delivered' | 'missed'; since?: string; until?: string }

export const replayDeliveries = (context: CliContext, id: string, options: ReplayOptions): Promise<Output> =>
  withApi(context, async ({ client }) => {
    let deliveries = 0
    let cursor: string | null = null
    do {
      const done = await client.webhookEndpoints.replay(id, {
        ...options,
        ...(cursor !== null && { cursor }),
      })
      deliveries += done.deliveries
      cursor = done.next_cursor
    } while (cursor !== null)
    return {
      text: `${deliveries} ${deliveries === 1 ? 'delivery is' : 'deliveries are'} made again.`,
      data: { deliveries },
    }
  })
