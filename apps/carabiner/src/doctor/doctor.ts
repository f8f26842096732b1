import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CliContext, CommandError, type Environment, type FailingOutput } from '@carabiner/cli'
import {
  type Config,
  createLog,
  createSupportBundle,
  type Database,
  examine,
  type Finding,
  invalidSettings,
  openDatabase,
  openExistingKeyRing,
  readConfig,
  VERSION,
} from '@carabiner/server/operator'

type DoctorContext = Pick<CliContext, 'environment'>
export type DoctorOptions = { outbound?: string[]; beforeStart?: boolean }

export const runDoctor = async (
  { environment }: DoctorContext,
  options: DoctorOptions,
): Promise<FailingOutput> => {
  await using examined = await examineInstallation(environment, options)
  const { findings } = examined
  const failed = findings.some(({ status }) => status === 'problem')
  return { text: describeFindings(findings), data: { ok: !failed, checks: findings }, failed }
}

export const runSupportBundle = async (
  { environment }: DoctorContext,
  { to, ...options }: DoctorOptions & { to: string },
): Promise<FailingOutput> => {
  if (existsSync(to)) throw new CommandError(`${to} exists already.`)
  await using examined = await examineInstallation(environment, options)
  const { config, db, findings } = examined
  const bundle = await createSupportBundle({
    version: VERSION,
    config,
    db,
    findings,
    secrets: secretsIn(environment),
  })
  writeFileSync(to, `${bundle}\n`, { mode: 0o600, flag: 'wx' })
  return {
    text: `Wrote ${to}. It contains no keys, tokens or passwords, and no data of customers. Read it before you send it.`,
    data: { file: to },
  }
}

type Examined = { config: Config | null; db: Database | null; findings: Finding[] } & AsyncDisposable

const examineInstallation = async (
  environment: Environment,
  { outbound = [], beforeStart = false }: DoctorOptions,
): Promise<Examined> => {
  let config: Config
  try {
    config = readConfig(environment)
  } catch (error) {
    if ((error as Error).name !== 'ConfigError') throw error
    const findings = invalidSettings((error as Error & { problems: string[] }).problems)
    return { config: null, db: null, findings, [Symbol.asyncDispose]: async () => undefined }
  }
  const opened = await openForReading(config)
  const db = typeof opened === 'string' || opened instanceof Error ? null : opened
  const findings = await examine({
    config,
    db: opened,
    openDirect: () => openDirect(config),
    openPooled: () => openDatabase(forOneConnection(config), createLog('silent')),
    openRing: () => openExistingKeyRing(config),
    outbound,
    isBeforeStart: beforeStart,
  })
  return { config, db, findings, [Symbol.asyncDispose]: async () => db?.close() }
}

/** So that the check of the pooler sees all statements of a session. */
const forOneConnection = (config: Config): Config => ({ ...config, databasePoolSize: 1 })

/** Without named statements, which a pooler that should not be here may reject. */
const openDirect = (config: Config): Promise<Database> =>
  openDatabase(
    {
      ...forOneConnection(config),
      databaseUrl: config.databaseDirectUrl ?? config.databaseUrl,
      databaseDirectUrl: undefined,
      databasePreparedStatements: false,
    },
    createLog('silent'),
  )

const openForReading = async (config: Config): Promise<Database | Error | string> => {
  if (!config.databaseUrl && !existsSync(join(config.dataDirectory, 'pglite')))
    return `There is no database in ${config.dataDirectory} yet.`
  try {
    return await openDirect(config)
  } catch (error) {
    if ((error as Error).name === 'FolderInUse')
      return 'The embedded database is in use by the running service. Stop it to check the database.'
    return error as Error
  }
}

/** Values of variables whose names promise a secret, also if the settings are invalid. */
const secretsIn = (environment: Environment): string[] =>
  Object.entries(environment).flatMap(([name, value]) =>
    value &&
    /KEY|SECRET|TOKEN|PASS|DATABASE/.test(name) &&
    !name.endsWith('_FILE') &&
    name !== 'DATABASE_POOL_SIZE'
      ? [value.trim()]
      : [],
  )

const SYMBOLS = { ok: '✔', problem: '✖', skipped: '–' }

const describeFindings = (findings: Finding[]): string => {
  const width = Math.max(...findings.map(({ check }) => check.length))
  const lines = findings.flatMap(finding => [
    `${SYMBOLS[finding.status]} ${finding.check.padEnd(width)}  ${finding.found}`,
    ...(finding.status === 'problem' ? [`  ${' '.repeat(width)}  Fix: ${finding.fix}`] : []),
  ])
  const problems = findings.filter(({ status }) => status === 'problem').length
  const summary =
    problems === 0 ? 'No problems found.' : `${problems} ${problems === 1 ? 'problem' : 'problems'} found.`
  return [...lines, '', summary].join('\n')
}
