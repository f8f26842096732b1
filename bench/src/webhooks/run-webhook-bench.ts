import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../../../scripts/postgres-cluster.ts'
import { Secret } from '../../../server/src/core/secret.ts'
import type { Database } from '../../../server/src/platform/database/database.ts'
import { openPostgres } from '../../../server/src/platform/database/postgres/postgres.ts'
import { runSql } from '../../../server/test/support/run-sql.ts'
import { type Child, startChild } from '../child.ts'
import { startDurableCluster } from '../durable-cluster.ts'
import { type Cost, withCost } from '../mcp/resource-use.ts'
import { SEED_TIMEOUT_MS } from '../seed.ts'
import { createInstallation, type ServiceProcess, startServiceProcess } from '../service-process.ts'
import type { Received } from './receiver.ts'

export type WebhookBenchOptions = {
  events: number
  rounds: number
  /** Default: true. */
  withWarmUp?: boolean
  /** Folder for a CPU profile of the worker. Default: no profile. */
  profile?: string | undefined
}
export const SUBJECTS = ['worker, single', 'bare POST, single', 'worker, batch', 'bare POST, batch'] as const
export type WebhookSubject = (typeof SUBJECTS)[number]
/** `cost`: per event. */
export type WebhookSample = { subject: WebhookSubject; perSecond: number; cost: Cost | undefined }

/** As in `serve-endpoint.ts`. Batches are sent one after the other. */
const CONCURRENCY = { single: 8, batch: 1 }
const BATCH = 500
const HEADERS = {
  'content-type': 'application/json',
  'user-agent': 'Carabiner',
  'webhook-id': 'evt_0198c0de-0000-7000-8000-000000000001',
  'webhook-timestamp': '1790000000',
  'webhook-signature': `v1,${'A'.repeat(44)}`,
}

type Stage = { db: Database; api: ServiceProcess; worker: Child; bare: Child; receiver: string }

const openStage = async (
  opened: AsyncDisposableStack,
  { events, profile }: WebhookBenchOptions,
): Promise<Stage> => {
  const { url } = await startDurableCluster(opened)
  const installation = createInstallation(url)
  opened.defer(() => installation.remove())
  const api = await startServiceProcess(installation, undefined, { ROLE: 'api' })
  opened.defer(() => api.stop())
  const db = await openPostgres({
    url: new Secret(url),
    poolSize: 1,
    timeoutMs: SEED_TIMEOUT_MS,
    onIdleError: () => undefined,
  })
  opened.defer(() => db.close())
  await runSql(
    db,
    `insert into registered_users (organization_id, id, mode, origin_user_id, data_key)
     select $1, gen_random_uuid(), 'test', 'bench-' || n, '' from generate_series(1, $2::integer) n`,
    [api.demo.organizationId, events],
  )
  const receiver = await startChild({ file: 'bench/src/webhooks/receiver.ts', ready: /listening on (\d+)/ })
  opened.defer(() => receiver.stop())
  const bare = await startChild({ file: 'bench/src/webhooks/bare-sender.ts', ready: /ready/ })
  opened.defer(() => bare.stop())
  const worker = await startChild({
    file: 'server/src/main.ts',
    nodeArgs: profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : [],
    environment: {
      ROLE: 'worker',
      PORT: String(await freePort()),
      SANDBOX_URL: 'http://localhost:1',
      LOG_LEVEL: 'warn',
      CONNECTORS: 'sandbox-notes sandbox-vault',
      KEY_FILE: join(installation.folder, 'keys/vault.key'),
      DATABASE_URL: url,
      DRAIN_DELAY: '0',
    },
    ready: /Carabiner is ready/,
  })
  opened.defer(() => worker.stop())
  return { db, api, worker, bare, receiver: `http://127.0.0.1:${receiver.ready[1]}` }
}

const callApi = async ({ api }: Stage, method: string, path: string, body: object): Promise<unknown> => {
  const response = await fetch(`${api.origin}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${api.demo.testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  return response.status === 204 ? null : response.json()
}

const received = async ({ receiver }: Stage, path = '/'): Promise<Received> =>
  (await fetch(receiver + path)).json() as Promise<Received>

const untilReceived = async (stage: Stage, events: number): Promise<Received> => {
  for (;;) {
    const now = await received(stage)
    if (now.events >= events) return now
    await delay(50)
  }
}

/** Between the first and the last request. A single batch takes no time. */
const rate = (events: number, { milliseconds }: Received): number =>
  events / (Math.max(1, milliseconds) / 1000)

/** Queues `events` events on a paused endpoint, then times their delivery. */
const measureWorker = async (
  stage: Stage,
  format: 'single' | 'batch',
  events: number,
): Promise<{ sample: Omit<WebhookSample, 'subject'>; bodies: string[] }> => {
  const { db, worker, api } = stage
  const endpoint = (await callApi(stage, 'POST', '/webhook-endpoints', {
    url: `${stage.receiver}/hook`,
    format,
  })) as { id: string }
  const path = `/webhook-endpoints/${endpoint.id}`
  await callApi(stage, 'PATCH', path, { paused: true })
  await runSql(
    db,
    `select record_event(organization_id, id, 'registered_user.updated', jsonb_build_object('origin_user_id', origin_user_id))
     from (select * from registered_users where organization_id = $1 and origin_user_id like 'bench-%' order by id limit $2) u`,
    [api.demo.organizationId, events],
  )
  const count = `select count(*)::int as n from webhook_deliveries where organization_id = $1 and endpoint_id = $2`
  const ofEndpoint = [api.demo.organizationId, endpoint.id]
  for (let n = 0; n < events; await delay(100))
    n = (await runSql<{ n: number }>(db, count, ofEndpoint))[0]?.n ?? 0
  for (const command of ['vacuum analyze', 'checkpoint']) await db.script(command)
  const rows = await runSql<{ body: string }>(
    db,
    'select body from webhook_deliveries where organization_id = $1 and endpoint_id = $2',
    ofEndpoint,
  )
  await received(stage, '/reset')
  const measured = await withCost({ db, servicePid: worker.pid }, async () => {
    await callApi(stage, 'PATCH', path, { paused: false })
    return { ...(await untilReceived(stage, events)), responses: events }
  })
  await callApi(stage, 'DELETE', path, {})
  return {
    sample: { perSecond: rate(events, measured), cost: measured.cost },
    bodies: rows.map(({ body }) => body),
  }
}

const measureBare = async (
  stage: Stage,
  format: 'single' | 'batch',
  bodies: string[],
): Promise<Omit<WebhookSample, 'subject'>> => {
  const { bare, db } = stage
  const sent =
    format === 'single'
      ? bodies
      : Array.from({ length: Math.ceil(bodies.length / BATCH) }, (_, n) =>
          bodies.slice(n * BATCH, (n + 1) * BATCH).join('\n'),
        )
  await received(stage, '/reset')
  const measured = await withCost({ db, servicePid: bare.pid }, async () => {
    const done = once(bare.process, 'message')
    bare.process.send({
      url: `${stage.receiver}/hook`,
      bodies: sent,
      concurrency: CONCURRENCY[format],
      headers: HEADERS,
    })
    await done
    return { ...(await received(stage)), responses: bodies.length }
  })
  return { perSecond: rate(bodies.length, measured), cost: measured.cost }
}

/** Deliveries of one worker process to a local receiver, next to requests with the same bodies, in the same run. */
export const runWebhookBench = async (
  options: WebhookBenchOptions,
  log: (line: string) => void = () => undefined,
): Promise<WebhookSample[]> => {
  await using opened = new AsyncDisposableStack()
  const { events, rounds, withWarmUp = true } = options
  const stage = await openStage(opened, options)
  const samples: WebhookSample[] = []
  for (let round = withWarmUp ? 0 : 1; round <= rounds; round++)
    for (const format of ['single', 'batch'] as const) {
      const { sample, bodies } = await measureWorker(stage, format, events)
      const measured: WebhookSample[] = [
        { subject: `worker, ${format}`, ...sample },
        { subject: `bare POST, ${format}`, ...(await measureBare(stage, format, bodies)) },
      ]
      if (round > 0) samples.push(...measured)
      for (const { subject, perSecond, cost } of measured)
        log(
          `round ${round} of ${rounds}: ${subject}: ${perSecond.toFixed(0)} events/s, CPU ${cost?.service.toFixed(0)} µs, PostgreSQL ${cost?.database.toFixed(0)} µs`,
        )
    }
  return samples
}
