import { plans } from '@carabiner/contract'
import type { Progress } from '@carabiner/server/features/credentials/rotate-progress.ts'
import { regenerateProductionKey } from '@carabiner/server/features/organizations/api-keys.ts'
import { createOrganization } from '@carabiner/server/features/organizations/create-organization.ts'
import { organizationStore } from '@carabiner/server/features/organizations/organization-store.ts'
import { type Config, readConfig } from '@carabiner/server/platform/config.ts'
import type { Database } from '@carabiner/server/platform/database.ts'
import { createLog } from '@carabiner/server/platform/log.ts'
import { migrate } from '@carabiner/server/platform/migrate.ts'
import type { Vault } from '@carabiner/server/platform/vault.ts'
import { openDatabase, openVaultFor } from '@carabiner/server/service.ts'
import { addKey, createVaultKey, rotate } from './keys.ts'
import { operator, recordCommand } from './operator.ts'
import { type Output, UsageError } from './output.ts'

export { type Output, UsageError } from './output.ts'

type Context = { config: Config; db: Database; vault: Vault }
type Environment = Record<string, string | undefined>

const HELP = `carabiner: the operator's command line. It works on the same database as the service, by the same settings
(DATABASE_URL or DATA_DIRECTORY, KEY_FILE or VAULT_KEY).

  carabiner org create NAME             create an organization; prints its production and test key, once
  carabiner org list                    list organizations
  carabiner org plan ID PLAN            set the plan: ${plans.join(', ')}
    --calls N                           override the plan's number of calls per billing cycle
  carabiner org regenerate-key ID       replace the production key; the old one stops working at once
  carabiner keys create                 create the vault key that production requires, at KEY_FILE
  carabiner keys rotate                 replace all keys while the service runs; run again to resume
  carabiner keys add                    add the next vault key to KEY_FILE, to copy it to several machines before rotating
  carabiner audit verify                verify that the audit trail was not changed or truncated
  carabiner audit list                  list the latest entries of the audit trail
  carabiner migrate                     apply pending database migrations without starting the service
  carabiner connectors check            validate connector files, shipped and your own
  carabiner connectors import DOCUMENT  create a connector file from an OpenAPI document

  --json                                print JSON`

export const runCommand = async (
  words: string[],
  environment: Environment,
  tell: (progress: Progress) => void = () => undefined,
): Promise<Output> => {
  const [noun, verb, ...rest] = words
  if (!noun) return { text: HELP, data: null }
  const config = readConfig(environment)
  switch (`${noun} ${verb ?? ''}`.trim()) {
    case 'keys create':
      return createVaultKey(config)
    case 'keys add':
      return withMigrated(config, db => addKey(config, db))
    case 'keys rotate':
      return withMigrated(config, db => rotate(config, db, tell))
    case 'migrate':
      return withDatabase(config, async db => {
        const applied = await migrate(db, { apply: true })
        return {
          text: applied.length > 0 ? `Applied: ${applied.join(', ')}` : 'The database is up to date.',
          data: { applied },
        }
      })
    case 'org create':
      return withService(config, context => createOrg(context, rest))
    case 'org list':
      return withService(config, listOrgs)
    case 'org plan':
      return withService(config, context => setPlan(context, rest))
    case 'org regenerate-key':
      return withService(config, context => regenerateKey(context, rest))
    default:
      throw new UsageError(`There is no command "${words.join(' ')}".\n\n${HELP}`)
  }
}

const withDatabase = async (config: Config, work: (db: Database) => Promise<Output>): Promise<Output> => {
  const db = await openDatabase(config, createLog('silent'))
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}

export const withMigrated = (config: Config, work: (db: Database) => Promise<Output>): Promise<Output> =>
  withDatabase(config, async db => {
    await migrate(db, { apply: config.migrate })
    return work(db)
  })

const withService = (config: Config, work: (context: Context) => Promise<Output>): Promise<Output> =>
  withMigrated(config, async db => work({ config, db, vault: await openVaultFor(config, db) }))

const createOrg = async (context: Context, [name]: string[]): Promise<Output> => {
  if (!name?.trim()) throw new UsageError('carabiner org create NAME')
  const { organization, productionKey, testKey } = await createOrganization(
    context,
    name.trim(),
    operator('org create'),
  )
  return {
    text: [
      `Organization     ${organization.name}  ${organization.id}`,
      `Production key   ${productionKey.reveal()}`,
      `Test key         ${testKey.reveal()}`,
      '',
      'The keys are shown this once; only their hashes are kept.',
    ].join('\n'),
    data: {
      id: organization.id,
      name: organization.name,
      production_key: productionKey.reveal(),
      test_key: testKey.reveal(),
    },
  }
}

const listOrgs = async ({ db }: Context): Promise<Output> => {
  const rows = await organizationStore.list(db)
  return {
    text:
      rows.map(row => `${row.id}  ${row.plan.padEnd(10)}  ${row.name}`).join('\n') ||
      'There is no organization yet.',
    data: rows.map(({ id, name, plan }) => ({ id, name, plan })),
  }
}

const setPlan = async (context: Context, [id = '', wanted, ...options]: string[]): Promise<Output> => {
  const plan = plans.find(known => known === wanted)
  if (!plan) throw new UsageError(`A plan is one of ${plans.join(', ')}.`)
  const callLimit = readCallLimit(options)
  const { db } = context
  const organization = await requireOrganization(id, () => organizationStore.find(db, id))
  const updated = await recordCommand(
    context,
    {
      organizationId: organization.id,
      command: 'org plan',
      action: 'organization.plan_set',
      describe: () => ({
        target: { type: 'organization', id: organization.id },
        changes: [
          { field: 'plan', from: organization.plan, to: plan },
          ...(organization.call_limit === callLimit
            ? []
            : [{ field: 'call_limit', from: organization.call_limit, to: callLimit }]),
        ],
      }),
    },
    () => requireOrganization(id, () => organizationStore.setPlan(db, id, plan, callLimit)),
  )
  const limit = updated.call_limit
  return {
    text: `${updated.name} is on the plan ${updated.plan}${limit === null ? '' : `, with ${limit} calls a cycle`}.`,
    data: { id, plan: updated.plan, call_limit: limit },
  }
}

const MOST_CALLS = 2_000_000_000

const readCallLimit = ([flag, number = '', ...others]: string[]): number | null => {
  if (flag === undefined) return null
  const limit = /^\d{1,10}$/.test(number) ? Number(number) : Number.NaN
  if (flag !== '--calls' || others.length > 0 || !(limit <= MOST_CALLS))
    throw new UsageError('carabiner org plan ID PLAN [--calls N], where N is a whole number of calls a cycle')
  return limit
}

const regenerateKey = async (context: Context, [id = '']: string[]): Promise<Output> => {
  const organization = await requireOrganization(id, () => organizationStore.find(context.db, id))
  const { key } = await recordCommand(
    context,
    {
      organizationId: organization.id,
      command: 'org regenerate-key',
      action: 'api_key.regenerated',
      describe: ({ row }) => ({
        target: { type: 'api_key', id: row.id },
        changes: [{ field: 'hint', to: row.hint }],
      }),
    },
    () => regenerateProductionKey(context.db, id),
  )
  return {
    text: `Production key   ${key.reveal()}\n\nShown this once. The old one no longer works.`,
    data: { id, production_key: key.reveal() },
  }
}

const requireOrganization = async <Row>(id: string, read: () => Promise<Row | null>): Promise<Row> => {
  const row = /^[0-9a-f-]{36}$/i.test(id) ? await read() : null
  if (!row)
    throw new UsageError(`There is no organization ${id || '(give its id)'}. See \`carabiner org list\`.`)
  return row
}
