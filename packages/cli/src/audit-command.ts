import { parseArgs } from 'node:util'
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
import { describeEntry, describeVerdicts, describeWithOrganization, forPrograms } from './audit-output.ts'
import { withMigrated } from './commands.ts'
import { type FailingOutput, UsageError } from './output.ts'
import type { Teller } from './tell-progress.ts'

export const AUDIT_HELP = `carabiner audit: who changed what, and whether the trail is whole.

  carabiner audit verify                check every chain from its first entry to its sealed end; exits 1 at the first break
    --organization ID                   only this organization's
    --from N                            from entry N on; those before it are taken as they are
    --expect N:HASH                     also that entry N is still the one that an earlier run printed
    --without-key                       all but the seals, for a copy of the database without its vault key
  carabiner audit list                  the latest entries, of every organization and of the service itself
    --organization ID                   only this organization's
    --limit N                           number of entries, at most 1000. Default: 50

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
  tell: Teller['tell'] = () => undefined,
): Promise<FailingOutput> => {
  const { values, positionals } = parse(args)
  const verb = positionals.join(' ')
  if (values.help || verb === '') return { text: AUDIT_HELP, data: null }
  const organizationId = readOrganization(values.organization)
  const config = readConfig(environment)
  switch (verb) {
    case 'verify':
      return withMigrated(config, db => verify({ config, db, tell }, organizationId, values))
    case 'list':
      return withMigrated(config, db => list(db, organizationId, readNumber('limit', values.limit, 50, 1000)))
    default:
      throw new UsageError(`There is no command "audit ${verb}".\n\n${AUDIT_HELP}`)
  }
}

const verify = async (
  { config, db, tell }: { config: Config; db: Database; tell: Teller['tell'] },
  organizationId: string | null,
  values: Values,
): Promise<FailingOutput> => {
  const expected = values.expect === undefined ? undefined : readExpected(values.expect)
  if ((expected || values.from !== undefined) && !organizationId)
    throw new UsageError('--from and --expect are about one chain: say which with --organization ID.')
  const from = readNumber('from', values.from, 1, Number.MAX_SAFE_INTEGER)
  const chains = await listChains(db, organizationId)
  if (organizationId && chains.length === 0)
    throw new UsageError(`There is no organization ${organizationId}. See \`carabiner org list\`.`)
  const signer = values['without-key'] ? null : await requireSigner(config, db)
  const verdicts: Verdict[] = []
  for (const chain of chains) {
    const verdict = await verifyChain({ db, signer }, chain, { from, expected, onProgress: tell })
    verdicts.push(verdict)
    if (verdict.problem) break
  }
  return {
    text: describeVerdicts(verdicts, chains.length),
    data: forPrograms(verdicts),
    failed: verdicts.some(({ problem }) => problem !== null),
  }
}

/** Whoever took the key away, or the secret that it opens, must not thereby get a trail past a script that trusts exit codes. */
const requireSigner = async (config: Config, db: Database): Promise<Signer> => {
  const advice = '--without-key checks all but the seals.'
  if (!(await hasVaultSecrets(db)))
    throw new UsageError(`The signing key is not in this database, so no seal can be checked. ${advice}`)
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
    throw new UsageError(`--organization takes an organization's id. See \`carabiner org list\`.`)
  return text.toLowerCase()
}

const readNumber = (name: string, text: string | undefined, unlessTold: number, most: number): number => {
  const number = text === undefined ? unlessTold : Number(text)
  if (!Number.isInteger(number) || number < 1 || number > most)
    throw new UsageError(`--${name} takes a number from 1 to ${most}.`)
  return number
}

const readExpected = (text: string): KnownHead => {
  const [, sequence, hash] = /^([1-9]\d{0,14}):([0-9a-f]{64})$/i.exec(text) ?? []
  if (!sequence || !hash)
    throw new UsageError('--expect takes N:HASH, as an earlier run of `carabiner audit verify` printed it.')
  return { sequence: Number(sequence), hash: hash.toLowerCase() }
}
