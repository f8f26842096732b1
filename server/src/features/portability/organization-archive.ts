import type { ArchiveHeader, ArchiveKind } from '../../platform/archive/archive-format.ts'
import type { OpenArchive } from '../../platform/archive/archive-reader.ts'

export const ORGANIZATION_ARCHIVE: ArchiveKind = {
  name: 'organization-archive',
  title: 'an archive of an organization',
}

export type OrganizationHeader = ArchiveHeader & {
  organization: { id: string; name: string; routing_code: string }
}

export type OrganizationArchive = OpenArchive<OrganizationHeader>
