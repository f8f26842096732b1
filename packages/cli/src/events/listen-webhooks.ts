import { exampleEvent } from '@carabiner/contract'
import { openApi, withApi } from '../api/api-client.ts'
import type { EventType, WebhookEvent } from '../api/sdk.ts'
import type { CliContext, Environment } from '../program/cli-context.ts'
import { type FailingOutput, UsageError } from '../terminal/output.ts'
import { printable, timeOf } from '../terminal/printable.ts'
import { readEventTypes, requireEventType } from './event-types.ts'
import { followEvents } from './follow-events.ts'
import {
  createSecret,
  forwardWebhook,
  isAccepted,
  type ReceiverResponse,
  readReceiverUrl,
  readSecret,
} from './forward-webhook.ts'

/** `--secret`, or the variable that the receivers in docs/webhooks.md read. */
const secretOf = (secret: string | undefined, environment: Environment): string | null => {
  const given = secret ?? environment.WEBHOOK_SECRET?.trim()
  return given ? readSecret(given) : null
}

export type ListenOptions = { forwardTo: string; types?: string; secret?: string }

/** Sends events to a receiver as they happen, until Ctrl-C. */
export const listenWebhooks = async (context: CliContext, options: ListenOptions): Promise<FailingOutput> => {
  const { environment, terminal, globals } = context
  const url = readReceiverUrl(options.forwardTo)
  const types = readEventTypes(options.types)
  const secret = secretOf(options.secret, environment) ?? createSecret()
  const api = await openApi(context)
  terminal.notice(`Events are sent to ${url}, signed with the secret ${secret}`)
  const signal = terminal.handleStop()
  const counts = { forwarded: 0, accepted: 0, failed: 0 }
  await followEvents(api, types, terminal, async event => {
    const response = await forwardWebhook({ url, secret }, event, signal)
    // Ctrl-C has interrupted the request, so its outcome is unknown.
    if (signal.aborted && response.status === null) return
    counts.forwarded++
    counts[isAccepted(response) ? 'accepted' : 'failed']++
    await terminal.print(globals.json ? recordOf(event, response) : lineOf(event, response))
  })
  const { forwarded, accepted, failed } = counts
  return {
    text: `${forwarded} ${forwarded === 1 ? 'event' : 'events'} sent: ${accepted} accepted, ${failed} failed.`,
    data: counts,
  }
}

const lineOf = (event: WebhookEvent, response: ReceiverResponse): string =>
  [
    timeOf(new Date()),
    event.type.padEnd(27),
    event.id,
    response.status ?? response.error,
    `${response.durationMs} ms`,
  ].join('  ')

const recordOf = ({ id, type }: WebhookEvent, { status, error, durationMs }: ReceiverResponse): string =>
  JSON.stringify({ at: new Date().toISOString(), type, id, status, error, duration_ms: durationMs })

export type TriggerOptions = { endpoint?: string; forwardTo?: string; secret?: string }

/** Sends an event with example data once: through the service, or directly to a receiver. */
export const triggerWebhook = async (
  context: CliContext,
  name: string,
  { endpoint, forwardTo, secret: given }: TriggerOptions,
): Promise<FailingOutput> => {
  if ((endpoint === undefined) === (forwardTo === undefined))
    throw new UsageError('Use either --endpoint or --forward-to.')
  const type = requireEventType(name)
  const signal = context.terminal.handleStop()
  if (endpoint !== undefined) return triggerThroughService(context, type, endpoint, signal)
  const url = readReceiverUrl(forwardTo as string)
  const secret = secretOf(given, context.environment)
  if (secret === null)
    throw new UsageError(
      '--secret (or WEBHOOK_SECRET) is required: the secret that the receiver verifies with.',
    )
  const event = {
    ...exampleEvent(type),
    id: `evt_${crypto.randomUUID()}`,
    occurred_at: new Date().toISOString(),
  }
  return describeTrigger(type, url, await forwardWebhook({ url, secret }, event, signal))
}

const triggerThroughService = (
  context: CliContext,
  type: EventType,
  endpoint: string,
  signal: AbortSignal,
): Promise<FailingOutput> =>
  withApi(context, async ({ client }) => {
    const { attempt } = await client.webhookEndpoints.test(endpoint, { event_type: type }, { signal })
    return describeTrigger(type, `endpoint ${endpoint}`, {
      status: attempt.response_status,
      body: attempt.response_body ?? '',
      error: attempt.error,
      durationMs: attempt.duration_ms,
    })
  })

const MAX_SHOWN_LENGTH = 1024

const describeTrigger = (type: EventType, to: string, response: ReceiverResponse): FailingOutput => {
  const { status, error, durationMs } = response
  const body = response.body.slice(0, MAX_SHOWN_LENGTH).trim().split('\n').map(printable).join('\n')
  const outcome = status === null ? `was not received: ${error}` : `was answered with status ${status}`
  return {
    text: `${type} to ${to} ${outcome} (${durationMs} ms)${body === '' ? '.' : `:\n${body}`}`,
    data: { type, status, error, duration_ms: durationMs, body },
    failed: !isAccepted(response),
  }
}
