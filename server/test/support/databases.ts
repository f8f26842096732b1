import { randomBytes } from 'node:crypto'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { type Cluster, DISPOSABLE_SETTINGS, startCluster } from '../../../scripts/postgres-cluster.ts'
import { measured } from '../../../scripts/testing/costs.ts'
import { Secret } from '../../src/core/secret.ts'
import { type Database } from '../../src/platform/database/database.ts'
import { openPglite } from '../../src/platform/database/embedded/pglite.ts'
import { migrate } from '../../src/platform/database/migrate.ts'
import { MOVABLE_CLOCK, resetClock } from '../../src/platform/database/movable-clock.ts'
import { openPostgres } from '../../src/platform/database/postgres/postgres.ts'

export type Engine = Database['engine']
export const engines: Engine[] = ['postgres', 'pglite']
/**
 * `npm test` runs flows on PostgreSQL. The slow tier runs some of them on the embedded database too, and `npm run proof:embedded` runs all of
 * them on both.
 */
const CHOSEN_ENGINES: Record<string, Engine[]> = { all: engines, embedded: ['pglite'] }
export const flowEngines: Engine[] = CHOSEN_ENGINES[process.env['TEST_ENGINES'] ?? ''] ?? ['postgres']

const TEMPLATE = 'carabiner_template'

export type TestDatabase = {
  engine: Engine
  /** Undefined for the embedded engine. */
  url: string | undefined
  folder: string | undefined
  drop(): Promise<void>
}

const openAt = (url: string): Promise<Database> =>
  openPostgres({ url: new Secret(url), poolSize: 4, onIdleError: () => undefined })

const administer = async (clusterUrl: string, sql: string): Promise<void> => {
  const client = new pg.Client({ connectionString: `${clusterUrl}/postgres` })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

/** Created once per run; every test database is a copy of it. */
export const prepareTemplates = async (clusterUrl: string): Promise<{ pgliteTemplate: string }> => {
  await administer(clusterUrl, `create database ${TEMPLATE}`)
  const db = await openAt(`${clusterUrl}/${TEMPLATE}`)
  await migrate(db, { apply: true })
  await db.script(MOVABLE_CLOCK)
  await db.close()
  const pgliteTemplate = mkdtempSync(join(tmpdir(), 'carabiner-lite-'))
  const lite = await openPglite(pgliteTemplate)
  await migrate(lite, { apply: true })
  await lite.script(MOVABLE_CLOCK)
  await lite.close()
  return { pgliteTemplate }
}

type Templates = { clusterUrl: string; pgliteTemplate: string }
let ownTemplates: Promise<Templates & { cluster: Cluster }> | undefined

/** A test file that is run directly starts its own cluster. */
const templates = async (): Promise<Templates> => {
  const { TEST_POSTGRES_URL: clusterUrl, TEST_PGLITE_TEMPLATE: pgliteTemplate } = process.env
  if (clusterUrl && pgliteTemplate) return { clusterUrl, pgliteTemplate }
  ownTemplates ??= (async () => {
    const cluster = await startCluster(DISPOSABLE_SETTINGS)
    const { pgliteTemplate: template } = await prepareTemplates(cluster.url)
    process.once('exit', () => rmSync(template, { recursive: true, force: true }))
    return { cluster, clusterUrl: cluster.url, pgliteTemplate: template }
  })()
  return ownTemplates
}

export const createTestDatabase = (engine: Engine): Promise<TestDatabase> =>
  measured(`copying a template database (${engine})`, () => copyTemplate(engine))

const copyTemplate = async (engine: Engine): Promise<TestDatabase> => {
  const { clusterUrl, pgliteTemplate } = await templates()
  if (engine === 'pglite') {
    const folder = mkdtempSync(join(tmpdir(), 'carabiner-lite-'))
    cpSync(pgliteTemplate, folder, { recursive: true })
    return {
      engine,
      url: undefined,
      folder,
      drop: async () => rmSync(folder, { recursive: true, force: true }),
    }
  }
  return createDatabase(clusterUrl, `template ${TEMPLATE} strategy file_copy`)
}

/** A PostgreSQL database without tables, as an operator creates it. */
export const createEmptyDatabase = async (): Promise<TestDatabase> =>
  createDatabase((await templates()).clusterUrl)

const createDatabase = async (clusterUrl: string, options = ''): Promise<TestDatabase> => {
  const name = `test_${randomBytes(6).toString('hex')}`
  await administer(clusterUrl, `create database ${name} ${options}`)
  return {
    engine: 'postgres',
    url: `${clusterUrl}/${name}`,
    folder: undefined,
    drop: () => administer(clusterUrl, `drop database ${name} with (force)`),
  }
}

export const openTestDatabase = async ({ url, folder }: TestDatabase): Promise<Database> =>
  url ? openAt(url) : openPglite(folder as string)

export { moveClock } from '../../src/platform/database/movable-clock.ts'

/** Back to the present. Usage that was summed in a future that has not come would hide the calls of the next test file. */
export const returnToPresent = async (db: Database): Promise<void> => {
  await resetClock(db)
  await db.script(`update usage_progress set until = least(until, app_now() - interval '5 minutes')`)
}
