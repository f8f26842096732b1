import type { Output } from '@carabiner/cli'
import {
  archiveFileSource,
  type Config,
  type Database,
  exportOrganization,
  importOrganization,
  ORGANIZATION_ARCHIVE,
  type OrganizationHeader,
  openArchive,
  type RowProgress,
  revokeDevelopmentKeys,
  SERVICE_CHAIN,
  type Vault,
  verifyArchive,
} from '@carabiner/server/operator'
import { keyFileOf, readDeletedUsers, requireArchiveKey, writeEncrypted } from '../backups/archive-output.ts'
import { recordCommand } from '../database/record-command.ts'

export type OrganizationContext = { config: Config; db: Database; vault: Vault }
type Report = (progress: RowProgress) => void
export type ExportOptions = { to: string; keyFile?: string; withBrokenAuditTrail?: boolean }
export type ImportOptions = { keyFile?: string }

export const exportOrg = async (
  context: OrganizationContext,
  id: string,
  options: ExportOptions,
  report: Report,
): Promise<Output> => {
  const { to } = options
  const keyFile = keyFileOf(to, options)
  const { result, keyCreated: created } = await recordCommand(
    context,
    {
      organizationId: SERVICE_CHAIN,
      command: 'org export',
      action: 'organization.exported',
      describe: () => ({ target: { type: 'organization', id }, changes: [] }),
    },
    () =>
      writeEncrypted(to, keyFile, (key, write) => {
        const allowsBrokenAudit = options.withBrokenAuditTrail ?? false
        return exportOrganization(context, id, { key, write, onProgress: report, allowsBrokenAudit })
      }),
  )
  const { rows, name } = result
  return {
    text: [
      `Exported ${name}: ${rows} rows in ${to}.`,
      `${created ? 'The new key' : 'The key'} of the archive is in ${keyFile}. Store it separately from the archive: together they contain every credential of the organization in readable form.`,
    ].join('\n'),
    data: { id, file: to, key_file: keyFile, key_created: created, rows },
  }
}

export const importOrg = async (
  context: OrganizationContext,
  file: string,
  options: ImportOptions,
  report: Report,
): Promise<Output> => {
  const keyFile = keyFileOf(file, options)
  const key = requireArchiveKey(keyFile)
  const archive = await openArchive<OrganizationHeader>(archiveFileSource(file), ORGANIZATION_ARCHIVE, key)
  const totals = await verifyArchive(archive)
  const { id, name } = archive.header.organization
  // An archive may be older than the deletion of a user.
  const deletedUsers = (await readDeletedUsers(context.config.tombstonePath)) ?? []
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
