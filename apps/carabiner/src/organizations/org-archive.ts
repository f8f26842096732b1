import { CommandError, type Output, UsageError } from '@carabiner/cli'
import {
  archiveFileSource,
  type Config,
  type Database,
  exportOrganization,
  importOrganization,
  openOrganizationArchive,
  type PublicKey,
  parsePublicKey,
  type RowProgress,
  revokeDevelopmentKeys,
  SERVICE_CHAIN,
  type Vault,
  verifyArchive,
  writeArchiveFile,
} from '@carabiner/server/operator'
import { readDeletedUsers } from '../backups/archive-output.ts'
import { recordCommand } from '../database/record-command.ts'

export type OrganizationContext = { config: Config; db: Database; vault: Vault }
type Report = (progress: RowProgress) => void
export type ExportOptions = { to: string; for: string; withBrokenAuditTrail?: boolean }
export type ImportOptions = { from?: string; fromUnknownInstallation?: boolean }

/** Archives for this installation are encrypted with it, and archives of this installation are signed with it. */
export const showPublicKey = async ({ vault }: OrganizationContext): Promise<Output> => {
  const { text } = vault.installationKey.publicKey
  return { text, data: { public_key: text } }
}

const requirePublicKey = (option: string, text: string): PublicKey => {
  const publicKey = parsePublicKey(text)
  if (!publicKey)
    throw new UsageError(
      `${option} must be the public key of an installation, which \`carabiner org public-key\` prints there.`,
    )
  return publicKey
}

export const exportOrg = async (
  context: OrganizationContext,
  id: string,
  options: ExportOptions,
  report: Report,
): Promise<Output> => {
  const { to } = options
  const recipient = requirePublicKey('--for', options.for)
  const { rows, name } = await recordCommand(
    context,
    {
      organizationId: SERVICE_CHAIN,
      command: 'org export',
      action: 'organization.exported',
      describe: () => ({
        target: { type: 'organization', id },
        changes: [{ field: 'recipient', to: recipient.text }],
      }),
    },
    () =>
      writeArchiveFile(to, write => {
        const allowsBrokenAudit = options.withBrokenAuditTrail ?? false
        return exportOrganization(context, id, { recipient, write, onProgress: report, allowsBrokenAudit })
      }),
  )
  const own = context.vault.installationKey.publicKey.text
  const isForItself = recipient.text === own
  return {
    text: [
      `Exported ${name}: ${rows} rows in ${to}. Only the installation with the given public key can read the archive.`,
      isForItself
        ? `This is the public key of this installation itself.`
        : `Import it there with: carabiner org import ${to} --from ${own}`,
    ].join('\n'),
    data: { id, file: to, recipient: recipient.text, signed_by: own, rows },
  }
}

export const importOrg = async (
  context: OrganizationContext,
  file: string,
  options: ImportOptions,
  report: Report,
): Promise<Output> => {
  const archive = await openOrganizationArchive(archiveFileSource(file), context.vault.installationKey)
  const { totals, signedBy } = await verifyArchive(archive)
  const isSourceKnown = checkSource(context, signedBy, options)
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
    () => importOrganization(context, archive, { totals, isSourceKnown, deletedUsers, onProgress: report }),
  )
  // As when the service starts: a key that was printed in development must not work in production.
  if (!context.config.development)
    await revokeDevelopmentKeys({ db: context.db, signer: context.vault.signer })
  return {
    text: [
      `Imported ${name} (${id})${result.resumed ? ', continuing an interrupted import' : ''}: ${result.rows} rows. The organization is active.`,
      ...(isSourceKnown
        ? []
        : [
            'The installation that wrote the archive is not known, so the imported part of the audit trail stays marked as not verified.',
          ]),
      ...(result.expiredRecords > 0
        ? [
            `${result.expiredRecords} records of tool calls were not imported, because their retention has ended.`,
          ]
        : []),
      ...(result.deletedUsers > 0
        ? [`${result.deletedUsers} users were deleted again, because the deleted-user log contains them.`]
        : []),
    ].join('\n'),
    data: {
      id,
      name,
      rows: result.rows,
      resumed: result.resumed,
      source_known: isSourceKnown,
      expired_records: result.expiredRecords,
      deleted_users: result.deletedUsers,
    },
  }
}

/** The writer of an archive decides what is in it, so the operator names the installation that it must come from. */
const checkSource = (
  { vault }: OrganizationContext,
  signedBy: string | null,
  { from, fromUnknownInstallation = false }: ImportOptions,
): boolean => {
  const expected = from === undefined ? vault.installationKey.publicKey : requirePublicKey('--from', from)
  if (signedBy === expected.text) return true
  if (from !== undefined)
    throw new CommandError(
      `The archive was not written by the installation that --from names, but by ${signedBy ?? 'an unknown one'}.`,
    )
  if (fromUnknownInstallation) return false
  throw new CommandError(
    `The archive was written by another installation: ${signedBy ?? 'unknown'}. Compare this with what \`carabiner org public-key\` prints there, and repeat the command with --from. If that is not possible, use --from-unknown-installation: then the imported part of the audit trail stays marked as not verified.`,
  )
}
