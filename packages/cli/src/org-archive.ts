import { rmSync } from 'node:fs'
import {
  ArchiveRefusal,
  archiveFileSource,
  type Config,
  createArchiveKey,
  type Database,
  exportOrganization,
  importOrganization,
  openArchive,
  parseArchiveKey,
  type RowProgress,
  readArchiveKey,
  readTombstones,
  revokeDevelopmentKeys,
  SERVICE_CHAIN,
  type Vault,
  verifyArchive,
  writeArchiveFile,
  writeArchiveKey,
} from '@carabiner/server/operator'
import { recordCommand } from './operator.ts'
import { type Output, UsageError } from './output.ts'

export type OrganizationContext = { config: Config; db: Database; vault: Vault }
type Report = (progress: RowProgress) => void
export type ArchiveOptions = {
  to?: string | undefined
  'key-file'?: string | undefined
  'with-broken-audit-trail'?: boolean | undefined
}

const keyFileOf = (file: string, options: ArchiveOptions): string => options['key-file'] ?? `${file}.key`

export const exportOrg = async (
  context: OrganizationContext,
  [id = '']: string[],
  options: ArchiveOptions,
  report: Report,
): Promise<Output> => {
  const { to } = options
  if (!id || !to) throw new UsageError('carabiner org export ID --to FILE [--key-file FILE]')
  const keyFile = keyFileOf(to, options)
  const { rows, name, created } = await recordCommand(
    context,
    {
      organizationId: SERVICE_CHAIN,
      command: 'org export',
      action: 'organization.exported',
      describe: () => ({ target: { type: 'organization', id }, changes: [] }),
    },
    () => writeWithKey(context, { id, to, keyFile, options, report }),
  )
  return {
    text: [
      `Exported ${name}: ${rows} rows in ${to}.`,
      `${created ? 'The new key' : 'The key'} of the archive is in ${keyFile}. Store it separately from the archive: together they contain every credential of the organization in readable form.`,
    ].join('\n'),
    data: { id, file: to, key_file: keyFile, key_created: created, rows },
  }
}

type Export = { id: string; to: string; keyFile: string; options: ArchiveOptions; report: Report }

/** Uses the key in the key file, or creates one. A key that was created for a failed export is deleted. */
const writeWithKey = async (context: OrganizationContext, { id, to, keyFile, options, report }: Export) => {
  const existing = readArchiveKey(keyFile)
  const newKey = createArchiveKey()
  const key = existing ?? parseArchiveKey(newKey, keyFile)
  let created = false
  try {
    const result = await writeArchiveFile(to, write => {
      if (!existing) writeArchiveKey(keyFile, newKey)
      created = !existing
      const allowsBrokenAudit = options['with-broken-audit-trail'] ?? false
      return exportOrganization(context, id, { key, write, onProgress: report, allowsBrokenAudit })
    })
    return { ...result, created }
  } catch (error) {
    if (created) rmSync(keyFile, { force: true })
    throw error
  }
}

export const importOrg = async (
  context: OrganizationContext,
  [file = '']: string[],
  options: ArchiveOptions,
  report: Report,
): Promise<Output> => {
  if (!file) throw new UsageError('carabiner org import FILE [--key-file FILE]')
  const keyFile = keyFileOf(file, options)
  const key = readArchiveKey(keyFile)
  if (!key)
    throw new UsageError(`The key of the archive is missing: there is no file ${keyFile}. Use --key-file.`)
  const archive = await openArchive(archiveFileSource(file), key)
  const totals = await verifyArchive(archive)
  const { id, name } = archive.header.organization
  const deletedUsers = await readDeletedUsers(context.config)
  const result = await recordCommand(
    context,
    {
      organizationId: SERVICE_CHAIN,
      command: 'org import',
      action: 'organization.imported',
      describe: () => ({ target: { type: 'organization', id }, changes: [{ field: 'name', to: name }] }),
    },
    () => importOrganization(context, archive, { totals, deletedUsers, onProgress: report }),
  )
  // As when the service starts: a key that was printed in development must not work in production.
  if (!context.config.development)
    await revokeDevelopmentKeys({ db: context.db, signer: context.vault.signer })
  return {
    text: [
      `Imported ${name} (${id})${result.resumed ? ', continuing an interrupted import' : ''}: ${result.rows} rows. The organization is active.`,
      ...(result.expiredRecords > 0
        ? [
            `${result.expiredRecords} records of tool calls were not imported, because their retention has ended.`,
          ]
        : []),
      ...(result.deletedUsers > 0
        ? [`${result.deletedUsers} users were deleted again, because the log of deleted users contains them.`]
        : []),
    ].join('\n'),
    data: {
      id,
      name,
      rows: result.rows,
      resumed: result.resumed,
      expired_records: result.expiredRecords,
      deleted_users: result.deletedUsers,
    },
  }
}

/** An archive may be older than the deletion of a user. */
const readDeletedUsers = async ({ tombstonePath }: Config) => {
  try {
    return (await readTombstones(tombstonePath)).tombstones
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw new ArchiveRefusal(`The log of deleted users at ${tombstonePath} cannot be read.`, { cause: error })
  }
}
