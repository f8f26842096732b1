import { withApi } from '../api/api-client.ts'
import type { NewWebhookEndpoint, WebhookEndpoint } from '../api/sdk.ts'
import { take } from '../api/take.ts'
import type { CliContext } from '../program/cli-context.ts'
import { type Output, UsageError } from '../terminal/output.ts'
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
