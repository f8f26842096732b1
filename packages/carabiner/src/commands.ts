import { parseArgs } from 'node:util'
import type { ProgressReporter } from '@carabiner/cli'
import { type Output, UsageError } from '@carabiner/cli'
import { plans } from '@carabiner/contract'
import {
  type Config,
  createLog,
  createOrganization,
  type Database,
  migrate,
  openCells,
  openVaultFor,
  organizationStore,
  readConfig,
  regenerateProductionKey,
  type Vault,
} from '@carabiner/server/operator'
import { helpOn } from './help.ts'
import { addKey, createVaultKey, rotate } from './keys.ts'
import { operator, recordCommand } from './operator.ts'
import { exportOrg, importOrg } from './organizations/org-archive.ts'
import { deleteOrg } from './organizations/org-delete.ts'
import { activateOrg, suspendOrg } from './organizations/org-suspend.ts'
import { withDatabase, withMigrated } from './with-database.ts'

export { type Output, UsageError } from '@carabiner/cli'

type Context = { config: Config; db: Database; vault: Vault }
type Environment = Record<string, string | undefined>

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  json: { type: 'boolean' },
  calls: { type: 'string' },
  to: { type: 'string' },
  'key-file': { type: 'string' },
  'with-broken-audit-trail': { type: 'boolean' },
  confirm: { type: 'string' },
  revoke: { type: 'boolean' },
} as const

/** The commands that have an option of their own. */
const COMMANDS_OF_OPTION: Record<string, string[]> = {
  calls: ['org plan'],
  to: ['org export'],
  'key-file': ['org export', 'org import'],
  'with-broken-audit-trail': ['org export'],
  confirm: ['org delete'],
  revoke: ['org delete'],
}

/** `args` as given on the command line. Unknown options are errors. */
export const runCommand = async (
  args: string[],
  environment: Environment,
  report: ProgressReporter['report'] = () => undefined,
): Promise<Output> => {
  const { values, positionals } = parse(args)
  const [noun, verb, ...rest] = positionals
  if (noun === undefined || values.help) return { text: helpOn(noun), data: null }
  const command = `${noun} ${verb ?? ''}`.trim()
  for (const [option, commands] of Object.entries(COMMANDS_OF_OPTION))
    if (option in values && !commands.includes(command))
      throw new UsageError(
        `--${option} is an option of ${commands.map(each => `"${each}"`).join(' and ')} only.\n\n${helpOn(noun)}`,
      )
  const run = commandOf(command, rest, values, report)
  if (!run) throw new UsageError(`There is no command "${positionals.join(' ')}".\n\n${helpOn(noun)}`)
  return run(readConfig(environment))
}

const parse = (args: string[]) => {
  try {
    return parseArgs({ args, allowPositionals: true, options: OPTIONS })
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${helpOn(args[0])}`)
  }
}

type Values = ReturnType<typeof parse>['values']
type Run = (config: Config) => Promise<Output> | Output

const commandOf = (
  command: string,
  rest: string[],
  values: Values,
  report: ProgressReporter['report'],
): Run | null => {
  switch (command) {
    case 'keys create':
      return createVaultKey
    case 'keys add':
      return config => withMigrated(config, db => addKey(config, db))
    case 'keys rotate':
      return config => withMigrated(config, db => rotate(config, db, report))
    case 'migrate':
      return config => withDatabase(config, applyMigrations)
    case 'org create':
      return config => withService(config, context => createOrg(context, rest))
    case 'org list':
      return config => withService(config, listOrgs)
    case 'org plan':
      return config => withService(config, context => setPlan(context, rest, values.calls))
    case 'org suspend':
      return config => withService(config, context => suspendOrg(context, rest))
    case 'org activate':
      return config => withService(config, context => activateOrg(context, rest))
    case 'org regenerate-key':
      return config => withService(config, context => regenerateKey(context, rest))
    case 'org export':
      return config => withService(config, context => exportOrg(context, rest, values, report))
    case 'org import':
      return config => withService(config, context => importOrg(context, rest, values, report))
    case 'org delete':
      return config => withService(config, context => deleteOrg(context, rest, values, report))
    default:
      return null
  }
}

const applyMigrations = async (db: Database): Promise<Output> => {
  const applied = await migrate(db, { apply: true })
  return {
    text: applied.length > 0 ? `Applied: ${applied.join(', ')}` : 'The database is up to date.',
    data: { applied },
  }
}

const withService = (config: Config, work: (context: Context) => Promise<Output>): Promise<Output> =>
  withMigrated(config, async db => work({ config, db, vault: await openVaultFor(config, db) }))

const createOrg = async (context: Context, [name]: string[]): Promise<Output> => {
  if (!name?.trim()) throw new UsageError('carabiner org create NAME')
  const { cell } = context.config
  const cells = cell && openCells(cell, { log: createLog('silent') })
  const { organization, productionKey, testKey } = await createOrganization(context, name.trim(), {
    author: operator('org create'),
    ...(cells && { isCodeTaken: code => cells.cellOf(code) !== null }),
  })
  return {
    text: [
      `Organization     ${organization.name}  ${organization.id}`,
      `Production key   ${productionKey.reveal()}`,
      `Test key         ${testKey.reveal()}`,
      '',
      'The keys are shown only once; only their hashes are stored.',
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
      rows
        .map(
          ({ id, plan, name, state }) =>
            `${id}  ${plan.padEnd(10)}  ${name}${state === 'active' ? '' : `  (${state})`}`,
        )
        .join('\n') || 'There are no organizations yet.',
    data: rows.map(({ id, name, plan, state }) => ({ id, name, plan, state })),
  }
}

const setPlan = async (
  context: Context,
  [id = '', wanted, ...others]: string[],
  calls: string | undefined,
): Promise<Output> => {
  const plan = plans.find(known => known === wanted)
  if (!plan) throw new UsageError(`PLAN must be one of ${plans.join(', ')}.`)
  if (others.length > 0) throw new UsageError(PLAN_USAGE)
  const callLimit = readCallLimit(calls)
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
          ...(organization.callLimit === callLimit
            ? []
            : [{ field: 'call_limit', from: organization.callLimit, to: callLimit }]),
        ],
      }),
    },
    () => requireOrganization(id, () => organizationStore.setPlan(db, id, plan, callLimit)),
  )
  const limit = updated.callLimit
  return {
    text: `${updated.name} is on the plan ${updated.plan}${limit === null ? '' : `, with ${limit} calls per cycle`}.`,
    data: { id, plan: updated.plan, call_limit: limit },
  }
}

const MAX_CALLS = 2_000_000_000
const PLAN_USAGE = 'carabiner org plan ID PLAN [--calls N], where N is a whole number of calls per cycle'

const readCallLimit = (text: string | undefined): number | null => {
  if (text === undefined) return null
  const limit = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (!(limit <= MAX_CALLS)) throw new UsageError(PLAN_USAGE)
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
      describe: ({ stored }) => ({
        target: { type: 'api_key', id: stored.id },
        changes: [{ field: 'hint', to: stored.hint }],
      }),
    },
    () => regenerateProductionKey(context.db, id),
  )
  return {
    text: `Production key   ${key.reveal()}\n\nShown only once. The previous key no longer works.`,
    data: { id, production_key: key.reveal() },
  }
}

const requireOrganization = async <Row>(id: string, read: () => Promise<Row | null>): Promise<Row> => {
  const row = /^[0-9a-f-]{36}$/i.test(id) ? await read() : null
  if (!row)
    throw new UsageError(`There is no organization ${id || '(ID required)'}. See \`carabiner org list\`.`)
  return row
}
