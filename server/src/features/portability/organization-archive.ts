import type { ArchiveHeader, ArchiveKind } from '../../platform/archive/archive-format.ts'
import { type ArchiveSource, type OpenArchive, openArchive } from '../../platform/archive/archive-reader.ts'
import { ArchiveRefusal } from '../../platform/archive/archive-refusal.ts'
import type { InstallationKey } from '../../platform/vault/installation-key.ts'

export const ORGANIZATION_ARCHIVE: ArchiveKind = {
  name: 'organization-archive',
  title: 'an archive of an organization',
}

export type OrganizationHeader = ArchiveHeader & {
  organization: { id: string; name: string; routing_code: string }
  /** The public key of the installation that can read the archive, and the key that it needs for that. */
  recipient: { public_key: string; ephemeral: string }
}

export type OrganizationArchive = OpenArchive<OrganizationHeader>

/** Throws if the archive was encrypted for another installation. */
export const openOrganizationArchive = (
  source: ArchiveSource,
  own: InstallationKey,
): Promise<OrganizationArchive> =>
  openArchive<OrganizationHeader>(source, ORGANIZATION_ARCHIVE, ({ recipient }) => {
    if (recipient?.public_key !== own.publicKey.text)
      throw new ArchiveRefusal(
        `The archive was encrypted for another installation. Export it again for this one: carabiner org export … --for ${own.publicKey.text}`,
      )
    return own.openArchiveKey(Buffer.from(recipient.ephemeral, 'base64url'))
  })
