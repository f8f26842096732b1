import { withApi } from '../api/api-client.ts'
import type { WebhookDelivery, WebhookDeliveryDetail } from '../api/sdk.ts'
import { take } from '../api/take.ts'
import type { CliContext } from '../program/cli-context.ts'
import type { Output } from '../terminal/output.ts'
import { momentOf, printable } from '../terminal/printable.ts'
import type { Screen } from '../terminal/screen.ts'
import { details, table } from '../terminal/table.ts'

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
      { title: 'TYPE', value: eventName },
      { title: 'STATUS', value: (each: WebhookDelivery) => each.status },
      { title: 'ATTEMPTS', value: (each: WebhookDelivery) => each.attempts.length },
      { title: 'RESPONSE', value: lastResponse, shrinks: true },
    ]
    const text = data.length === 0 ? 'There are no deliveries.' : table(data, columns, context.screen)
    return { text, data }
  })

const eventName = ({ event_type: type, is_test: isTest }: WebhookDelivery): string =>
  isTest ? `${type} (test)` : type

const lastResponse = ({ attempts }: WebhookDelivery): string | number | null => {
  const last = attempts.at(-1)
  return last ? (last.response_status ?? last.error) : 'no attempt yet'
}

export const showDelivery = (context: CliContext, id: string): Promise<Output> =>
  withApi(context, async ({ client }) => {
    const delivery = await client.webhookDeliveries.get(id)
    return { text: describeDelivery(context, delivery), data: delivery }
  })

const describeDelivery = ({ screen }: CliContext, delivery: WebhookDeliveryDetail): string => {
  const summary = details(
    [
      ['ID', delivery.id],
      ['Event', eventName(delivery)],
      ['Event ID', delivery.event_id],
      ['User', delivery.registered_user_id],
      ['Endpoint', delivery.webhook_endpoint_id],
      ['Status', delivery.status],
      ['Created', momentOf(delivery.created_at)],
      ['Next attempt', delivery.next_attempt_at && momentOf(delivery.next_attempt_at)],
    ],
    screen,
  )
  const sections = delivery.attempts.map((attempt, n) => describeAttempt(attempt, `Attempt ${n + 1}`, screen))
  return [summary, block('Body', delivery.request_body, screen), ...sections].join('\n\n')
}

type Attempt = WebhookDeliveryDetail['attempts'][number]

const describeAttempt = (attempt: Attempt, title: string, screen: Screen): string => {
  const { at, duration_ms: duration, response_status: status, error, response_headers: headers } = attempt
  const outcome = status === null ? (error ?? 'no response') : `status ${status}`
  return [
    screen.paint('bold', `${title}  ${momentOf(at)}  ${printable(outcome)}  ${duration} ms`),
    block('Request headers', headerLines(attempt.request_headers), screen),
    ...(headers ? [block('Response headers', headerLines(headers), screen)] : []),
    ...(attempt.response_body ? [block('Response body', attempt.response_body, screen)] : []),
  ].join('\n')
}

const headerLines = (headers: Record<string, string>): string =>
  Object.entries(headers)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')

const block = (title: string, text: string, { paint }: Screen): string =>
  [
    paint('dim', title),
    ...text
      .trimEnd()
      .split('\n')
      .map(line => `  ${printable(line)}`),
  ].join('\n')

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
