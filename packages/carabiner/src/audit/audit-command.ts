import { parseArgs } from 'node:util'
import type { ProgressReporter } from '@carabiner/cli'
import { type FailingOutput, UsageError } from '@carabiner/cli'
import {
  type Config,
  type Database,
  hasVaultSecrets,
  type KnownHead,
  listChains,
  listEntries,
  openVaultFor,
  readConfig,
  type Signer,
  VaultKeyError,
  type Verdict,
  verifyChain,
} from '@carabiner/server/operator'
import { withMigrated } from '../with-database.ts'
import { describeEntry, describeVerdicts, describeWithOrganization, forPrograms } from './audit-output.ts'

export const AUDIT_HELP = `carabiner audit: list and verify the audit trail.

  carabiner audit verify                check every chain from its first entry to its sealed end; exits 1 at the first break
    --organization ID                   this organization only
    --from N                            start at entry N, without checking the entries before it
    --expect N:HASH                     check that entry N is the one that a previous run printed
    --without-key                       do not check the seals, for a copy of the database without its vault key
  carabiner audit list                  the latest entries, of every organization and of the service itself
    --organization ID                   this organization only
    --limit N                           number of entries, at max 1000. Default: 50

  --json                                print JSON`

const OPTIONS = {
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  organization: { type: 'string' },
  from: { type: 'string' },
  expect: { type: 'string' },
  'without-key': { type: 'boolean' },
  limit: { type: 'string' },
} as const

type Environment = Record<string, string | undefined>
type Values = ReturnType<typeof parse>['values']

export const runAudit = async (
  args: string[],
  environment: Environment,
  report: ProgressReporter['report'] = () => undefined,
): Promise<FailingOutput> => {
  const { values, positionals } = parse(args)
  const verb = positionals.join(' ')
  if (values.help || verb === '') return { text: AUDIT_HELP, data: null }
  const organizationId = readOrganization(values.organization)
  const config = readConfig(environment)
  switch (verb) {
    case 'verify':
      return withMigrated(config, db => verify({ config, db, report }, organizationId, values))
    case 'list':
      return withMigrated(config, db => list(db, organizationId, readNumber('limit', values.limit, 50, 1000)))
    default:
      throw new UsageError(`There is no command "audit ${verb}".\n\n${AUDIT_HELP}`)
  }
}

const verify = async (
  { config, db, report }: { config: Config; db: Database; report: ProgressReporter['report'] },
  organizationId: string | null,
  values: Values,
): Promise<FailingOutput> => {
  const expected = values.expect === undefined ? undefined : readExpected(values.expect)
  if ((expected || values.from !== undefined) && !organizationId)
    throw new UsageError('--from and --expect apply to one chain. Select it with --organization ID.')
  const from = readNumber('from', values.from, 1, Number.MAX_SAFE_INTEGER)
  const chains = await listChains(db, organizationId)
  if (organizationId && chains.length === 0)
    throw new UsageError(`There is no organization ${organizationId}. See \`carabiner org list\`.`)
  const signer = values['without-key'] ? null : await requireSigner(config, db)
  const verdicts: Verdict[] = []
  for (const chain of chains) {
    const verdict = await verifyChain({ db, signer }, chain, { from, expected, onProgress: report })
    verdicts.push(verdict)
    if (verdict.problem) break
  }
  return {
    text: describeVerdicts(verdicts, chains.length),
    data: forPrograms(verdicts),
    failed: verdicts.some(({ problem }) => problem !== null),
  }
}

/**
 * A missing key must not make a script that relies on exit codes accept the trail, because an attacker may have
 * removed the key or the signing secret.
 */
const requireSigner = async (config: Config, db: Database): Promise<Signer> => {
  const advice = '--without-key skips the seals.'
  if (!(await hasVaultSecrets(db)))
    throw new UsageError(
      `The signing key is missing from this database, so the seals cannot be checked. ${advice}`,
    )
  try {
    return (await openVaultFor(config, db)).signer
  } catch (error) {
    if (error instanceof VaultKeyError) throw new UsageError(`${error.message}\n${advice}`)
    throw error
  }
}

const list = async (db: Database, organizationId: string | null, limit: number): Promise<FailingOutput> => {
  const entries = await listEntries(db, organizationId, limit)
  const describe = organizationId === null ? describeWithOrganization : describeEntry
  return { text: entries.map(describe).join('\n') || 'There are no entries yet.', data: entries }
}

const parse = (args: string[]) => {
  try {
    return parseArgs({ args, allowPositionals: true, options: OPTIONS })
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${AUDIT_HELP}`)
  }
}

const readOrganization = (text: string | undefined): string | null => {
  if (text === undefined) return null
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text))
    throw new UsageError(`--organization must be the ID of an organization. See \`carabiner org list\`.`)
  return text.toLowerCase()
}

const readNumber = (name: string, text: string | undefined, defaultValue: number, max: number): number => {
  const number = text === undefined ? defaultValue : Number(text)
  if (!Number.isInteger(number) || number < 1 || number > max)
    throw new UsageError(`--${name} must be a number from 1 to ${max}.`)
  return number
}

const readExpected = (text: string): KnownHead => {
  const [, sequence, hash] = /^([1-9]\d{0,14}):([0-9a-f]{64})$/i.exec(text) ?? []
  if (!sequence || !hash)
    throw new UsageError('--expect must be N:HASH, as printed by a previous run of `carabiner audit verify`.')
  return { sequence: Number(sequence), hash: hash.toLowerCase() }
}
