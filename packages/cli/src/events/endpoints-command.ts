import { parseArgs } from 'node:util'
import { helpOn } from '../help.ts'
import { type FailingOutput, UsageError } from '../output.ts'
import type { Client, NewWebhookEndpoint, WebhookDelivery, WebhookEndpoint } from '../sdk.ts'
import { explainApiError, openApi } from './api-client.ts'
import { readEventTypes } from './event-types.ts'
import { printable } from './terminal.ts'

const OPTIONS = {
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  types: { type: 'string' },
  description: { type: 'string' },
  format: { type: 'string' },
  signature: { type: 'string' },
  url: { type: 'string' },
  status: { type: 'string' },
  since: { type: 'string' },
  until: { type: 'string' },
} as const

const parse = (args: string[]) => {
  try {
    return parseArgs({ args, allowPositionals: true, options: OPTIONS })
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${helpOn('webhooks')}`)
  }
}
type Values = ReturnType<typeof parse>['values']
type Command = {
  /** Whether a word follows, such as an ID. */
  takes: 'nothing' | 'URL' | 'ID'
  options: (keyof Values)[]
  run(client: Client, word: string, values: Values): Promise<FailingOutput>
}

const FORMATS = ['single', 'batch'] as const
const SIGNATURES = ['v1', 'v1a'] as const
const STATUSES = ['pending', 'delivered', 'failed'] as const
const REPLAYED = ['failed', 'delivered', 'missed'] as const

const oneOf = <T extends string>(option: string, given: string, allowed: readonly T[]): T => {
  const found = allowed.find(each => each === given)
  if (found === undefined) throw new UsageError(`--${option} must be one of ${allowed.join(', ')}.`)
  return found
}

const COMMANDS: Record<string, Command> = {
  list: { takes: 'nothing', options: [], run: client => list(client) },
  create: {
    takes: 'URL',
    options: ['types', 'description', 'format', 'signature'],
    run: async (client, url, values) => {
      const types = readEventTypes(values.types)
      return showWithSecret(
        await client.webhookEndpoints.create({
          url,
          ...(types && { event_types: [...types] }),
          ...(values.description !== undefined && { description: values.description }),
          ...(values.format !== undefined && { format: oneOf('format', values.format, FORMATS) }),
          ...(values.signature !== undefined && {
            signature: oneOf('signature', values.signature, SIGNATURES),
          }),
        }),
      )
    },
  },
  update: {
    takes: 'ID',
    options: ['types', 'description', 'url'],
    run: async (client, id, values) => {
      const types = readEventTypes(values.types)
      return show(
        await client.webhookEndpoints.update(id, {
          ...(types && { event_types: [...types] }),
          ...(values.description !== undefined && { description: values.description }),
          ...(values.url !== undefined && { url: values.url }),
        }),
      )
    },
  },
  pause: {
    takes: 'ID',
    options: [],
    run: async (client, id) => show(await client.webhookEndpoints.update(id, { paused: true })),
  },
  resume: {
    takes: 'ID',
    options: [],
    run: async (client, id) => show(await client.webhookEndpoints.update(id, { paused: false })),
  },
  'rotate-secret': {
    takes: 'ID',
    options: [],
    run: async (client, id) => showWithSecret(await client.webhookEndpoints.rotateSecret(id)),
  },
  delete: {
    takes: 'ID',
    options: [],
    run: async (client, id) => {
      await client.webhookEndpoints.delete(id)
      return { text: `Deleted ${id} and its deliveries.`, data: { id } }
    },
  },
  deliveries: {
    takes: 'ID',
    options: ['status'],
    run: async (client, id, { status }) => {
      const filter = status === undefined ? {} : { status: oneOf('status', status, STATUSES) }
      const { data } = await client.webhookEndpoints.deliveries(id, filter).page()
      return { text: data.map(describeDelivery).join('\n') || 'There are no deliveries.', data }
    },
  },
  replay: {
    takes: 'ID',
    options: ['status', 'since', 'until'],
    run: (client, id, values) => replay(client, id, values),
  },
}

export const isEndpointCommand = (verb: string): boolean => Object.hasOwn(COMMANDS, verb)

/** `carabiner webhooks list|create|update|…`: the endpoints of the organization and mode of the API key. */
export const runEndpoints = async (
  verb: string,
  args: string[],
  environment: Record<string, string | undefined>,
): Promise<FailingOutput> => {
  const { values, positionals } = parse(args)
  if (values.help) return { text: helpOn('webhooks'), data: null }
  const command = COMMANDS[verb] as Command
  const [word, ...others] = positionals
  if ((command.takes === 'nothing') !== (word === undefined) || others.length > 0)
    throw new UsageError(
      command.takes === 'nothing'
        ? `"webhooks ${verb}" takes no further words.`
        : `"webhooks ${verb}" needs ${command.takes === 'ID' ? 'the ID of an endpoint' : 'a URL'}.\n\n${helpOn('webhooks')}`,
    )
  const wrong = Object.keys(values).find(
    name => name !== 'json' && !command.options.includes(name as keyof Values),
  )
  if (wrong !== undefined) throw new UsageError(`--${wrong} is not an option of "webhooks ${verb}".`)
  const { client, url } = openApi(environment)
  try {
    return await command.run(client, word ?? '', values)
  } catch (error) {
    throw explainApiError(error, url)
  }
}

const list = async (client: Client): Promise<FailingOutput> => {
  const endpoints: WebhookEndpoint[] = []
  for await (const endpoint of client.webhookEndpoints.list()) endpoints.push(endpoint)
  return {
    text: endpoints.map(describe).join('\n') || 'There are no webhook endpoints yet.',
    data: endpoints,
  }
}

const replay = async (client: Client, id: string, values: Values): Promise<FailingOutput> => {
  const { status, since, until } = values
  const request = {
    ...(status !== undefined && { status: oneOf('status', status, REPLAYED) }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  }
  let deliveries = 0
  let cursor: string | null = null
  do {
    const done = await client.webhookEndpoints.replay(id, { ...request, ...(cursor !== null && { cursor }) })
    deliveries += done.deliveries
    cursor = done.next_cursor
  } while (cursor !== null)
  return {
    text: `${deliveries} ${deliveries === 1 ? 'delivery is' : 'deliveries are'} made again.`,
    data: { deliveries },
  }
}

const describe = ({ id, status, format, url, event_types: types }: WebhookEndpoint): string =>
  printable([id, status.padEnd(8), format.padEnd(6), url, types?.join(',') ?? 'all types'].join('  '))

const describeDelivery = (delivery: WebhookDelivery): string => {
  const { id, created_at: at, event_type: type, status, attempts } = delivery
  const last = attempts.at(-1)
  const answer = last ? String(last.response_status ?? last.error) : 'no attempt yet'
  return printable(
    [at, id, type.padEnd(27), status.padEnd(9), `${attempts.length} attempts`, answer].join('  '),
  )
}

const show = (endpoint: WebhookEndpoint): FailingOutput => ({ text: describe(endpoint), data: endpoint })

const showWithSecret = (endpoint: NewWebhookEndpoint): FailingOutput => ({
  text: [
    describe(endpoint),
    '',
    endpoint.secret === null
      ? `Public key  ${endpoint.public_key}`
      : `Secret  ${endpoint.secret}\n\nShown only once. Receivers verify webhooks with it.`,
  ].join('\n'),
  data: endpoint,
})
