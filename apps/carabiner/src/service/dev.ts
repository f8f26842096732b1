import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type CliContext, CommandError, type FailingOutput, loadListening, openApi } from '@carabiner/cli'
import type { WebhookEvent } from '@carabiner/contract'
import { type Config, readConfig } from '@carabiner/server/operator'
import { type DevLog, describeLogLine, eachLine, openDevLog } from './dev-log.ts'

export type DevOptions = { forwardTo?: string; types?: string }

const POLL_INTERVAL_MS = 200
/** Longer than the service needs to drain. */
const STOP_TIMEOUT_MS = 35_000

/** Runs the service, its sandbox and a listener for events until Ctrl-C, and ends all of them. */
export const runDev = async (context: CliContext, options: DevOptions): Promise<FailingOutput | null> => {
  const { environment, terminal } = context
  const { readEventTypes, readReceiverUrl } = await loadListening()
  const receiver = options.forwardTo === undefined ? null : readReceiverUrl(options.forwardTo)
  const types = readEventTypes(options.types)
  const config = readConfig(environment)
  if (!config.development)
    throw new CommandError(
      '`carabiner dev` is for development: unset NODE_ENV and use a BASE_URL on localhost.',
    )
  const log = openDevLog(context)
  const signal = terminal.handleStop()
  const service = startService(environment, log)
  const exited = new Promise<number | null>(resolve => service.once('exit', resolve))
  try {
    const stopped = exited.then(code =>
      Promise.reject(new CommandError(`The service ended with code ${code}.`)),
    )
    stopped.catch(() => undefined)
    await Promise.race([stopped, waitUntilReady(config, signal)])
    if (signal.aborted) return null
    await Promise.race([stopped, listen(context, config, { receiver, types, log })])
    return null
  } finally {
    await stop(service, exited)
  }
}

/** The service as a process of its own, so that its output gets a prefix and it is ended in an orderly way. */
const startService = (environment: CliContext['environment'], log: DevLog): ChildProcess => {
  const child = spawn(process.execPath, [process.argv[1] as string, 'start'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environment,
  })
  eachLine(child.stdout, line => log('service', line))
  eachLine(child.stderr, line => log('service', describeLogLine(line)))
  return child
}

const waitUntilReady = async ({ baseUrl }: Config, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    const ready = await fetch(`${baseUrl}/readyz`, { signal }).then(
      ({ ok }) => ok,
      () => false,
    )
    if (ready) return
    await delay(POLL_INTERVAL_MS)
  }
}

type Listening = {
  receiver: string | null
  types: ReadonlySet<WebhookEvent['type']> | null
  log: DevLog
}

const listen = async (
  context: CliContext,
  config: Config,
  { receiver, types, log }: Listening,
): Promise<void> => {
  const { createSecret, describeEvent, followEvents, forwardWebhook } = await loadListening()
  const key = readDemoKey(config)
  if (key === null) {
    log('events', 'There is no demo organization, so events are not shown. See `carabiner logs tail`.')
    return new Promise(resolve => context.terminal.handleStop().addEventListener('abort', () => resolve()))
  }
  const { environment, terminal } = context
  const access = { ...environment, CARABINER_URL: config.baseUrl, CARABINER_API_KEY: key }
  const api = await openApi({ environment: access, globals: {}, terminal })
  const secret = environment.WEBHOOK_SECRET?.trim() || createSecret()
  if (receiver !== null) log('webhooks', `Events are sent to ${receiver}, signed with the secret ${secret}`)
  const quiet = { ...terminal, notice: (line: string) => log('events', line) }
  await followEvents(api, types, quiet, async event => {
    log('events', describeEvent(event))
    if (receiver === null) return
    const { status, error, durationMs } = await forwardWebhook(
      { url: receiver, secret },
      event,
      terminal.handleStop(),
    )
    log('webhooks', `${event.type}  ${event.id}  ${status ?? error}  ${durationMs} ms`)
  })
}

/** The key of the demo organization, which the service stores beside the vault key in development. */
const readDemoKey = ({ keyFile }: Config): string | null => {
  try {
    return (JSON.parse(readFileSync(join(dirname(keyFile), 'demo.json'), 'utf8')) as { test_key: string })
      .test_key
  } catch {
    return null
  }
}

const stop = async (service: ChildProcess, exited: Promise<unknown>): Promise<void> => {
  if (service.exitCode !== null || service.signalCode !== null) return
  service.kill('SIGTERM')
  const timer = setTimeout(() => service.kill('SIGKILL'), STOP_TIMEOUT_MS)
  await exited
  clearTimeout(timer)
}
