import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LinkTokenRequest } from '@carabiner/contract'
import type { Sandbox } from '@carabiner/sandbox'
import { freePort } from '../../../scripts/postgres-cluster.ts'
import { measured } from '../../../scripts/testing/costs.ts'
import { createOrganization } from '../../src/features/organizations/create-organization.ts'
import { type Config, readConfig } from '../../src/platform/config.ts'
import { createLog } from '../../src/platform/log.ts'
import { type Service, type ServiceOptions, startService } from '../../src/service.ts'
import { newAddress } from './client-address.ts'
import { createTestDatabase, type Engine, moveClock, returnToPresent } from './databases.ts'
import { watchConnections } from './round-trips.ts'
import { runSql } from './run-sql.ts'
import { share } from './shared.ts'

watchConnections()

export type Answer<T = any> = { status: number; headers: Headers; body: T; text: string }
type CallOptions = { key?: string | null; body?: unknown; headers?: Record<string, string>; raw?: string }

export type TestOrganization = { id: string; key: string; testKey: string; toolPackId: string }

export type TestService = {
  service: Service
  sandbox: Sandbox
  baseUrl: string
  /** Undefined for the embedded engine. */
  databaseUrl: string | undefined
  logLines: string[]
  tombstonePath: string
  keyFile: string
  organization: TestOrganization
  /** The address that requests of `call` come from. */
  address: string
  createOrganization(name: string): Promise<TestOrganization>
  /** Makes an API call. Default key: the production key of the first organization. */
  call<T = any>(method: string, path: string, options?: CallOptions): Promise<Answer<T>>
  createUser(fields?: Record<string, unknown>, key?: string): Promise<{ id: string }>
  mint(
    userId: string,
    body?: LinkTokenRequest,
    key?: string,
  ): Promise<{ link_token: string; expires_at: string; magic_link_url: string }>
  allowOrigin(origin: string, key?: string): Promise<void>
  mcp<T = any>(
    userId: string,
    method: string,
    params?: unknown,
    options?: { key?: string; packId?: string; query?: string; headers?: Record<string, string> },
  ): Promise<Answer<T>>
  events(userId?: string): Promise<{ type: string; sequence: number; payload: any }[]>
  moveClock(milliseconds: number): Promise<void>
  query<T = any>(sql: string, parameters?: unknown[]): Promise<T[]>
  stop(): Promise<void>
}

/** Most tests need only these two connectors. */
export const SANDBOX_CONNECTORS = 'sandbox-notes sandbox-vault'

/** Longer than the default, so that tests do not fail on a busy machine. */
export const DATABASE_TIMEOUT_MS = '120000'

/** Disables polling, so that streams are notified of changes by wake-ups only. */
export const WAKE_UPS_ONLY: ServiceOptions = { wakeUps: { recheckMs: 3_600_000 } }

/** Lifts the limits of Link's pages, for tests whose users link many accounts from one address. */
export const liftPageLimits = ({ service }: TestService): void =>
  void Object.assign(service.features.limits, { take: async () => null })

type RunningService = {
  service: Service
  config: Config
  /** Receive the lines of the log. */
  logs: Set<string[]>
  stop(): Promise<void>
}

const runService = async (
  engine: Engine,
  environment: Record<string, string>,
  options: ServiceOptions,
  logs: RunningService['logs'],
): Promise<RunningService> => {
  const database = await createTestDatabase(engine)
  const keys = mkdtempSync(join(tmpdir(), 'carabiner-keys-'))
  const config = readConfig({
    PORT: String(await freePort()),
    SANDBOX_PORT: '0',
    KEY_FILE: join(keys, 'vault.key'),
    TOMBSTONE_PATH: join(keys, 'tombstones', 'deleted-users.log'),
    LOG_LEVEL: 'debug',
    CONNECTORS: SANDBOX_CONNECTORS,
    DATABASE_TIMEOUT_MS,
    ...(database.url ? { DATABASE_URL: database.url } : { DATA_DIRECTORY: database.folder }),
    ...environment,
  })
  const write = (line: string): void => {
    for (const lines of logs) lines.push(line)
  }
  const service = await measured('starting a service', () =>
    startService(config, createLog(config.logLevel, { write }), { withSchedule: false, ...options }),
  )
  // A job that is woken before it listens would not run, because it has no schedule.
  if (options.withJobs !== false && config.role !== 'api') await service.queue.started
  return {
    service,
    config,
    logs,
    stop: async () => {
      await measured('stopping a service', () => service.stop())
      await measured('dropping a database', () => database.drop())
      rmSync(keys, { recursive: true, force: true })
    },
  }
}

/** Starts the whole service in this process, with its own database and sandbox. */
export const startTestService = async (
  engine: Engine = 'postgres',
  environment: Record<string, string> = {},
  options: ServiceOptions = {},
): Promise<TestService> => {
  const logLines: string[] = []
  const running = await runService(engine, environment, options, new Set([logLines]))
  return createTenant(running, () => running.stop(), logLines)
}

/**
 * An organization of its own in a service that the test files of this process share. A test that changes the settings, keys, processes or
 * faults of the whole installation uses `startTestService` instead. The clock and the sandbox may be changed: files run one after the
 * other, and each starts at the present, with the sandbox in its initial state. Limits per address do not add up, because the service trusts
 * the addresses that tests send.
 */
export const joinTestService = async (
  engine: Engine = 'postgres',
  settings: Record<string, string> = {},
): Promise<TestService> => {
  const environment = { TRUST_PROXY: 'loopback', ...settings }
  const name = JSON.stringify([
    engine,
    Object.entries(environment).toSorted(([a], [b]) => a.localeCompare(b)),
  ])
  const { value: running, leave } = await share(
    `service ${name}`,
    () => runService(engine, environment, {}, new Set()),
    each => each.stop(),
  )
  await returnToPresent(running.service.features.db)
  running.service.sandbox?.reset()
  return createTenant(running, leave)
}

const createTenant = async (
  { service, config, logs }: RunningService,
  leave: () => Promise<void>,
  logLines: string[] = [],
): Promise<TestService> => {
  logs.add(logLines)
  const address = config.trustProxy ? newAddress() : '127.0.0.1'
  const { db } = service.features
  const sandbox = service.sandbox as Sandbox

  const newOrganization = async (name: string): Promise<TestOrganization> => {
    const created = await createOrganization(service.features, name)
    const [pack] = await runSql<{ id: string }>(db, 'select id from tool_packs where organization_id = $1', [
      created.organization.id,
    ])
    return {
      id: created.organization.id,
      key: created.productionKey.reveal(),
      testKey: created.testKey.reveal(),
      toolPackId: pack?.id as string,
    }
  }
  const organization = await newOrganization('Orbit')

  const call: TestService['call'] = async (
    method,
    path,
    { key = organization.key, body, headers = {}, raw } = {},
  ) => {
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const response = await fetch(path.startsWith('http') ? path : config.baseUrl + path, {
      method,
      redirect: 'manual',
      headers: {
        'x-forwarded-for': address,
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...(payload !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(payload !== undefined && { body: payload }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') && text !== ''
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : undefined,
    }
  }
  const expectStatus = async (expected: number, answer: Promise<Answer>): Promise<any> => {
    const { status, text, body } = await answer
    if (status !== expected) throw new Error(`expected ${expected}, got ${status}: ${text}`)
    return body
  }
  let users = 0

  return {
    service,
    sandbox,
    baseUrl: config.baseUrl,
    databaseUrl: config.databaseUrl?.reveal(),
    logLines,
    tombstonePath: config.tombstonePath,
    keyFile: config.keyFile,
    organization,
    address,
    createOrganization: newOrganization,
    call,
    createUser: async (fields = {}, key = organization.key) => {
      const answer = await call('POST', '/api/v1/registered-users', {
        key,
        body: { origin_user_id: `user-${++users}`, origin_user_name: 'Ana Ruiz', ...fields },
      })
      if (answer.status > 201) throw new Error(answer.text)
      return answer.body
    },
    mint: (userId, body = {}, key = organization.key) =>
      expectStatus(201, call('POST', `/api/registered-users/${userId}/link-token`, { key, body })),
    allowOrigin: (origin, key = organization.key) =>
      expectStatus(201, call('POST', '/api/v1/callback-origins', { key, body: { origin } })),
    mcp: (
      userId,
      method,
      params = {},
      { key = organization.key, packId = organization.toolPackId, query = '', headers = {} } = {},
    ) =>
      call('POST', `/api/v1/tool-packs/${packId}/registered-users/${userId}/mcp${query}`, {
        key,
        headers,
        body: { jsonrpc: '2.0', id: 1, method, params },
      }),
    events: async userId =>
      runSql(
        db,
        'select type, sequence, payload from events where organization_id = $1 and ($2::uuid is null or registered_user_id = $2) order by sequence nulls first',
        [organization.id, userId ?? null],
      ),
    moveClock: milliseconds => moveClock(db, milliseconds),
    query: (sql, parameters = []) => runSql(db, sql, parameters as never),
    stop: async () => {
      logs.delete(logLines)
      await leave()
    },
  }
}
