import { parseArgs } from 'node:util'
import { exampleEvent } from '@carabiner/contract'
import { helpOn } from '../help.ts'
import { type FailingOutput, UsageError } from '../output.ts'
import type { EventType, WebhookEvent } from '../sdk.ts'
import { explainApiError, openApi } from './api-client.ts'
import { isEndpointCommand, runEndpoints } from './endpoints-command.ts'
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
import { printable, type Terminal, timeOf } from './terminal.ts'

const OPTIONS = {
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  'forward-to': { type: 'string' },
  types: { type: 'string' },
  secret: { type: 'string' },
  endpoint: { type: 'string' },
} as const

type Environment = Record<string, string | undefined>

/** `carabiner webhooks …`: uses the API, without the database or the vault key. */
export const runWebhooks = (
  args: string[],
  environment: Environment,
  terminal: Terminal,
): Promise<FailingOutput> | FailingOutput => {
  const [first = ''] = args
  if (isEndpointCommand(first)) return runEndpoints(first, args.slice(1), environment)
  const { values, positionals } = parse(args)
  const [verb, ...rest] = positionals
  if (values.help || verb === undefined) return { text: helpOn('webhooks'), data: null }
  if (verb === 'listen' && rest.length === 0) return listen(values, environment, terminal)
  if (verb === 'trigger' && rest.length <= 1) return trigger(rest[0], values, environment, terminal)
  throw new UsageError(`There is no command "webhooks ${positionals.join(' ')}".\n\n${helpOn('webhooks')}`)
}

const parse = (args: string[]) => {
  try {
    return parseArgs({ args, allowPositionals: true, options: OPTIONS })
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${helpOn('webhooks')}`)
  }
}
type Values = ReturnType<typeof parse>['values']

/** `--secret`, or the variable that the receivers in docs/guides/webhooks.md read. */
const secretOf = ({ secret }: Values, environment: Environment): string | null => {
  const given = secret ?? environment.WEBHOOK_SECRET?.trim()
  return given ? readSecret(given) : null
}

const listen = async (
  values: Values,
  environment: Environment,
  terminal: Terminal,
): Promise<FailingOutput> => {
  if (values.endpoint !== undefined)
    throw new UsageError('--endpoint is an option of "webhooks trigger" only.')
  if (values['forward-to'] === undefined)
    throw new UsageError(`--forward-to URL is required.\n\n${helpOn('webhooks')}`)
  const url = readReceiverUrl(values['forward-to'])
  const types = readEventTypes(values.types)
  const secret = secretOf(values, environment) ?? createSecret()
  const api = openApi(environment)
  terminal.notice(`Events are sent to ${url}, signed with the secret ${secret}`)
  const counts = { forwarded: 0, accepted: 0, failed: 0 }
  await followEvents(api, types, terminal, async event => {
    const response = await forwardWebhook({ url, secret }, event, terminal.signal)
    // Ctrl-C has interrupted the request, so its outcome is unknown.
    if (terminal.signal.aborted && response.status === null) return
    counts.forwarded++
    counts[isAccepted(response) ? 'accepted' : 'failed']++
    await terminal.print(values.json ? recordOf(event, response) : lineOf(event, response))
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

const trigger = async (
  name: string | undefined,
  values: Values,
  environment: Environment,
  { signal }: Terminal,
): Promise<FailingOutput> => {
  const { endpoint, 'forward-to': forwardTo } = values
  if (name === undefined || (endpoint === undefined) === (forwardTo === undefined))
    throw new UsageError(
      `"webhooks trigger" needs an event type, and either --endpoint or --forward-to.\n\n${helpOn('webhooks')}`,
    )
  if (values.types !== undefined) throw new UsageError('--types is an option of "webhooks listen" only.')
  const type = requireEventType(name)
  if (endpoint !== undefined) return triggerThroughService(type, endpoint, environment, signal)
  const url = readReceiverUrl(forwardTo as string)
  const secret = secretOf(values, environment)
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

const triggerThroughService = async (
  type: EventType,
  endpoint: string,
  environment: Environment,
  signal: AbortSignal,
): Promise<FailingOutput> => {
  const { client, url } = openApi(environment)
  try {
    const { attempt } = await client.webhookEndpoints.test(endpoint, { event_type: type }, { signal })
    return describeTrigger(type, `endpoint ${endpoint}`, {
      status: attempt.response_status,
      body: attempt.response_body ?? '',
      error: attempt.error,
      durationMs: attempt.duration_ms,
    })
  } catch (error) {
    throw explainApiError(error, url)
  }
}

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
