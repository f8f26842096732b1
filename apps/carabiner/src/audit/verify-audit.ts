import {
  type CliContext,
  CommandError,
  type FailingOutput,
  type ProgressReporter,
  UsageError,
} from '@carabiner/cli'
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
import { withMigrated } from '../database/with-database.ts'
import { describeEntry, describeVerdicts, describeWithOrganization, forPrograms } from './audit-output.ts'

export type VerifyOptions = { organization?: string; from?: number; expect?: string; key: boolean }

export const verifyAudit = (
  { environment, report }: Pick<CliContext, 'environment' | 'report'>,
  options: VerifyOptions,
): Promise<FailingOutput> => {
  const organizationId = readOrganization(options.organization)
  const config = readConfig(environment)
  return withMigrated(config, db => verify({ config, db, report }, organizationId, options))
}

/** The latest entries of every organization, or of one. */
export const listAllEntries = (
  { environment }: Pick<CliContext, 'environment'>,
  { organization, limit }: { organization?: string; limit: number },
): Promise<FailingOutput> => {
  const organizationId = readOrganization(organization)
  return withMigrated(readConfig(environment), db => list(db, organizationId, limit))
}

const verify = async (
  { config, db, report }: { config: Config; db: Database; report: ProgressReporter['report'] },
  organizationId: string | null,
  { expect, from, key }: VerifyOptions,
): Promise<FailingOutput> => {
  const expected = expect === undefined ? undefined : readExpected(expect)
  if ((expected || from !== undefined) && !organizationId)
    throw new UsageError('--from and --expect apply to one chain. Select it with --organization ID.')
  const chains = await listChains(db, organizationId)
  if (organizationId && chains.length === 0)
    throw new CommandError(`There is no organization ${organizationId}. See \`carabiner org list\`.`)
  const signer = !key ? null : await requireSigner(config, db)
  const verdicts: Verdict[] = []
  for (const chain of chains) {
    const verdict = await verifyChain({ db, signer }, chain, {
      from: from ?? 1,
      expected,
      onProgress: report,
    })
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
  const advice = '--no-key skips the seals.'
  if (!(await hasVaultSecrets(db)))
    throw new CommandError(
      `The signing key is missing from this database, so the seals cannot be checked. ${advice}`,
    )
  try {
    return (await openVaultFor(config, db)).signer
  } catch (error) {
    if (error instanceof VaultKeyError) throw new CommandError(`${error.message}\n${advice}`)
    throw error
  }
}

const list = async (db: Database, organizationId: string | null, limit: number): Promise<FailingOutput> => {
  const entries = await listEntries(db, organizationId, limit)
  const describe = organizationId === null ? describeWithOrganization : describeEntry
  return { text: entries.map(describe).join('\n') || 'There are no entries yet.', data: entries }
}

const readOrganization = (text: string | undefined): string | null => {
  if (text === undefined) return null
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text))
    throw new UsageError(`--organization must be the ID of an organization. See \`carabiner org list\`.`)
  return text.toLowerCase()
}

const readExpected = (text: string): KnownHead => {
  const [, sequence, hash] = /^([1-9]\d{0,14}):([0-9a-f]{64})$/i.exec(text) ?? []
  if (!sequence || !hash)
    throw new UsageError('--expect must be N:HASH, as printed by a previous run of `carabiner audit verify`.')
  return { sequence: Number(sequence), hash: hash.toLowerCase() }
}
