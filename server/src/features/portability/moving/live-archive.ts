import { randomBytes } from 'node:crypto'
import { FORMAT_VERSION } from '../../../platform/archive/archive-format.ts'
import { readAhead } from '../../../platform/archive/read-ahead.ts'
import { addToTotals, type RowTotals } from '../../../platform/archive/row-totals.ts'
import type { Queryable } from '../../../platform/database/database.ts'
import { readSchemaVersion } from '../../../platform/database/migrate.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import { ARCHIVED_TABLES } from '../archived-tables.ts'
import { requireExportable, requireIntactAudit } from '../export-organization.ts'
import type { OrganizationArchive } from '../organization-archive.ts'
import { createRowReader, type ReadTable } from '../read-rows.ts'

/** An archive without records that is read from the database of the source instead of a file. It is read once. */
export type LiveArchive = OrganizationArchive & { totals(): RowTotals }

/** `tx`: a snapshot of the source, which stays open while the archive is read. */
export const openLiveArchive = async (
  tx: Queryable,
  vault: Vault,
  organizationId: string,
): Promise<LiveArchive> => {
  const { name, routingCode } = await requireExportable(tx, organizationId)
  await requireIntactAudit(tx, vault, organizationId)
  const readTable = await createRowReader(tx, vault, organizationId, { withoutRecords: true })
  const totals: RowTotals = new Map()
  return {
    header: {
      format: FORMAT_VERSION,
      created_at: new Date().toISOString(),
      organization: { id: organizationId, name, routing_code: routingCode },
      schema: await readSchemaVersion(tx),
      recipient: { public_key: vault.installationKey.publicKey.text, ephemeral: '' },
      key_id: '',
    },
    archiveId: randomBytes(32),
    totals: () => totals,
    chunks: () => readAhead(readChunks(readTable, vault, totals)),
  }
}

async function* readChunks(
  readTable: ReadTable,
  vault: Vault,
  totals: RowTotals,
): ReturnType<OrganizationArchive['chunks']> {
  let number = 0
  for (const table of ARCHIVED_TABLES)
    for await (const chunk of readTable(table)) {
      addToTotals(totals, table.name, chunk.lines)
      yield { ...chunk, number: number++ }
    }
  return { tables: {}, signedBy: vault.installationKey.publicKey.text }
}
