import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Database } from '../../platform/database/database.ts'
import { startSnapshot } from '../../platform/database/snapshot.ts'
import { requireExportable } from './export-organization.ts'
import { EXPORTED_COLUMNS } from './exported-columns.ts'
import { tenantRowsStore } from './tenant-rows-store.ts'

const PAGE = 2000
const FORMAT = 'carabiner-data-export-1'

/**
 * Writes an organization's data for people and other programs, as of one moment: gzipped lines of JSON, of which the first one describes
 * the export. It contains no credential, key or hash of one, so it cannot be imported; archives are for that.
 */
export const exportData = (
  db: Database,
  organizationId: string,
  write: (bytes: Buffer) => Promise<void>,
): Promise<void> =>
  db.transaction(async tx => {
    await startSnapshot(tx)
    const { name } = await requireExportable(tx, organizationId)
    // The members of a gzip file are decompressed as one text (RFC 1952 §2.2).
    const writeLines = async (lines: readonly string[]) =>
      write(await promisify(gzip)(lines.map(line => `${line}\n`).join('')))
    const organization = { id: organizationId, name }
    await writeLines([JSON.stringify({ format: FORMAT, created_at: new Date().toISOString(), organization })])
    for (const [table, columns] of Object.entries(EXPORTED_COLUMNS)) {
      let after: string[] | null = null
      for (;;) {
        const page = { table, columns: [...columns], after, limit: PAGE }
        const rows = await tenantRowsStore.readDocuments(tx, organizationId, page)
        const last = rows.at(-1)
        if (!last) break
        await writeLines(rows.map(({ line }) => `{"table":"${table}","row":${line}}`))
        after = last.key
      }
    }
  })
