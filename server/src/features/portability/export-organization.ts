import { FORMAT_VERSION } from '../../platform/archive/archive-format.ts'
import { ArchiveRefusal } from '../../platform/archive/archive-refusal.ts'
import { startArchive } from '../../platform/archive/archive-writer.ts'
import type { Database, Queryable } from '../../platform/database/database.ts'
import { readSchemaVersion } from '../../platform/database/migrate.ts'
import { startSnapshot } from '../../platform/database/snapshot.ts'
import { createArchiveKeyFor, type PublicKey } from '../../platform/vault/installation-key.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import { listChains, verifyChain } from '../events/audit-verify.ts'
import { ARCHIVED_TABLES } from './archived-tables.ts'
import { ORGANIZATION_ARCHIVE, type OrganizationHeader } from './organization-archive.ts'
import { createRowReader } from './read-rows.ts'
import { tenantRowsStore } from './tenant-rows-store.ts'

export type RowProgress = {
  table: string
  rows: number
  /** Null if the number of rows is not known in advance. */
  allRows: number | null
}

type Deps = { db: Database; vault: Vault }
type ExportOptions = {
  /** The installation that can read the archive. */
  recipient: PublicKey
  /** Receives the bytes of the archive in order. */
  write: (bytes: Buffer) => Promise<void>
  onProgress?: (progress: RowProgress) => void
  /** Exports an organization whose audit trail is not intact. It stays marked as broken. */
  allowsBrokenAudit?: boolean
}
export type ExportResult = { name: string; rows: number; archiveId: Buffer }

/** Writes an organization as an archive for another installation, as of one moment. */
export const exportOrganization = (
  { db, vault }: Deps,
  organizationId: string,
  { recipient, write, onProgress = () => undefined, allowsBrokenAudit = false }: ExportOptions,
): Promise<ExportResult> =>
  db.transaction(async tx => {
    await startSnapshot(tx)
    const organization = await requireExportable(tx, organizationId)
    const brokenAt = await verifyAudit(tx, vault, organizationId, allowsBrokenAudit)
    const { key, ephemeral } = createArchiveKeyFor(recipient)
    const archive = await startArchive<OrganizationHeader>(ORGANIZATION_ARCHIVE, {
      header: {
        format: FORMAT_VERSION,
        created_at: new Date().toISOString(),
        organization: { id: organizationId, name: organization.name, routing_code: organization.routingCode },
        recipient: { public_key: recipient.text, ephemeral: ephemeral.toString('base64url') },
        schema: await readSchemaVersion(tx),
      },
      key,
      signer: vault.installationKey,
      tables: ARCHIVED_TABLES.map(({ name }) => name),
      write,
    })
    const readTable = await createRowReader(tx, vault, organizationId, { brokenAt })
    let rows = 0
    for (const table of ARCHIVED_TABLES)
      for await (const chunk of readTable(table)) {
        await archive.append(chunk)
        rows += chunk.lines.length
        onProgress({ table: table.name, rows, allRows: null })
      }
    await archive.end()
    return { name: organization.name, rows, archiveId: archive.archiveId }
  })

export const requireExportable = async (tx: Queryable, organizationId: string) => {
  const organization = await tenantRowsStore.organization(tx, organizationId)
  if (!organization) throw new ArchiveRefusal(`There is no organization ${organizationId}.`)
  if (organization.state === 'arriving' || organization.state === 'deleting')
    throw new ArchiveRefusal(
      `${organization.name} is incomplete: its import or its deletion has not finished (state ${organization.state}).`,
    )
  return organization
}

export const requireIntactAudit = (tx: Queryable, vault: Vault, organizationId: string): Promise<unknown> =>
  verifyAudit(tx, vault, organizationId, false)

/** Returns the entry at which the chain is broken, or null. */
const verifyAudit = async (
  tx: Queryable,
  { signer }: Vault,
  organizationId: string,
  allowsBroken: boolean,
): Promise<number | null> => {
  const [chain] = await listChains(tx, organizationId)
  if (!chain) throw new Error('the organization has no audit trail')
  const { problem } = await verifyChain({ db: tx, signer }, chain)
  if (problem && !allowsBroken)
    throw new ArchiveRefusal(
      `The audit trail of the organization is broken at entry ${problem.sequence} (${problem.kind}). Run \`carabiner audit verify\`. With --with-broken-audit-trail the organization is exported anyway, and its trail stays marked as broken.`,
    )
  return problem?.sequence ?? null
}
