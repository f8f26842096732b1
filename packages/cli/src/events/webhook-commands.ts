import { runs } from '../program/cli-context.ts'
import { nounCommand, type RegisterCommands } from '../program/create-program.ts'
import { choice, limitOption, moment } from '../program/option-values.ts'
import type { ListenOptions, TriggerOptions } from './listen-webhooks.ts'
import type { DeliveryOptions, ReplayOptions } from './manage-deliveries.ts'
import type { EndpointFields } from './manage-endpoints.ts'

/** The event types come with all schemas of the API, which take longer to load than the other commands need to run. */
const endpoints = () => import('./manage-endpoints.ts')
const deliveries = () => import('./manage-deliveries.ts')
const listening = () => import('./listen-webhooks.ts')

const ENDPOINT = 'ID of a webhook endpoint'
const SECRET = 'signs the requests, whsec_… (default: WEBHOOK_SECRET)'

export const registerWebhooks: RegisterCommands = (program, context) => {
  const webhooks = nounCommand(
    program,
    'webhooks',
    'everyday',
    'Webhook endpoints, and a receiver for development',
  )
  webhooks
    .command('listen')
    .description(
      'Send events to a receiver in development as they happen, until Ctrl-C; prints one line for each',
    )
    .requiredOption('--forward-to <url>', 'the receiver; HTTP is for this machine only')
    .option('--types <types>', 'only these event types')
    .option('--secret <secret>', `${SECRET}; without it, a new one is printed`)
    .examples('carabiner webhooks listen --forward-to http://localhost:3000/webhooks')
    .action(
      runs(context, async (options: ListenOptions) => (await listening()).listenWebhooks(context, options)),
    )
  webhooks
    .command('trigger')
    .description('Send an event with example data, and print the response. Exit code 1: it is not 2xx')
    .argument('<type>', 'event type, such as link.completed')
    .option('--endpoint <id>', 'through the service, to a webhook endpoint')
    .option('--forward-to <url>', 'directly to a receiver')
    .option('--secret <secret>', SECRET)
    .examples(
      'carabiner webhooks trigger link.completed --endpoint 0198c0de-0000-7000-8000-00000000000a',
      'carabiner webhooks trigger link.completed --forward-to http://localhost:3000/webhooks --secret whsec_…',
    )
    .action(
      runs(context, async (type: string, options: TriggerOptions) =>
        (await listening()).triggerWebhook(context, type, options),
      ),
    )
  webhooks
    .command('list')
    .description('List webhook endpoints')
    .examples('carabiner webhooks list')
    .action(runs(context, async () => (await endpoints()).listEndpoints(context)))
  webhooks
    .command('create')
    .description('Create a webhook endpoint; its secret is printed once')
    .argument('<url>', 'where events are sent')
    .option('--types <types>', 'only these event types')
    .option('--description <text>', 'a note')
    .addOption(choice('--format <format>', 'one event per request, or several', ['single', 'batch']))
    .addOption(choice('--signature <version>', 'a shared secret, or Ed25519', ['v1', 'v1a']))
    .examples('carabiner webhooks create https://example.com/webhooks --types credential.needs_reauth')
    .action(
      runs(context, async (url: string, options: EndpointFields) =>
        (await endpoints()).createEndpoint(context, url, options),
      ),
    )
  webhooks
    .command('update')
    .description('Change a webhook endpoint')
    .argument('<id>', ENDPOINT)
    .option('--url <url>', 'where events are sent')
    .option('--types <types>', 'only these event types')
    .option('--description <text>', 'a note')
    .examples('carabiner webhooks update 0198c0de-0000-7000-8000-00000000000a --types link.completed')
    .action(
      runs(context, async (id: string, options: EndpointFields) =>
        (await endpoints()).updateEndpoint(context, id, options),
      ),
    )
  registerEndpointStates(program, context)
  registerDeliveries(program, context)
}

const registerEndpointStates: RegisterCommands = (program, context) => {
  const webhooks = nounCommand(program, 'webhooks', 'everyday', '')
  const one = (name: string, description: string) =>
    webhooks
      .command(name)
      .description(description)
      .argument('<id>', ENDPOINT)
      .examples(`carabiner webhooks ${name} 0198c0de-0000-7000-8000-00000000000a`)
  one('pause', 'Keep deliveries until the endpoint is resumed').action(
    runs(context, async (id: string) => (await endpoints()).setPaused(context, id, true)),
  )
  one('resume', 'Resume a paused endpoint, or enable a disabled one').action(
    runs(context, async (id: string) => (await endpoints()).setPaused(context, id, false)),
  )
  one('rotate-secret', 'Replace the secret; the new one is printed once, and both sign for 24 hours').action(
    runs(context, async (id: string) => (await endpoints()).rotateSecret(context, id)),
  )
  one('delete', 'Delete an endpoint and its deliveries').action(
    runs(context, async (id: string) => (await endpoints()).deleteEndpoint(context, id)),
  )
}

const registerDeliveries: RegisterCommands = (program, context) => {
  const webhooks = nounCommand(program, 'webhooks', 'everyday', '')
  const noun = webhooks
    .command('deliveries')
    .description('Deliveries of events to endpoints')
    .helpCommand(false)
  noun
    .command('list')
    .description('List the latest deliveries of an endpoint')
    .argument('<id>', ENDPOINT)
    .addOption(choice('--status <status>', 'only with this status', ['pending', 'delivered', 'failed']))
    .addOption(limitOption(50))
    .examples('carabiner webhooks deliveries list 0198c0de-0000-7000-8000-00000000000a --status failed')
    .action(
      runs(context, async (id: string, options: DeliveryOptions) =>
        (await deliveries()).listDeliveries(context, id, options),
      ),
    )
  noun
    .command('show')
    .description('Print a delivery: the request, and every attempt with its response')
    .argument('<id>', 'ID of a delivery')
    .examples('carabiner webhooks deliveries show 0198c0de-0000-7000-8000-00000000000c')
    .action(runs(context, async (id: string) => (await deliveries()).showDelivery(context, id)))
  webhooks
    .command('replay')
    .description('Send deliveries again')
    .argument('<id>', ENDPOINT)
    .addOption(choice('--status <status>', 'which ones (default: failed)', ['failed', 'delivered', 'missed']))
    .option('--since <time>', 'of events since this time, such as 12h', moment)
    .option('--until <time>', 'exclusive', moment)
    .examples('carabiner webhooks replay 0198c0de-0000-7000-8000-00000000000a --since 12h')
    .action(
      runs(context, async (id: string, options: ReplayOptions) =>
        (await deliveries()).replayDeliveries(context, id, options),
      ),
    )
}
