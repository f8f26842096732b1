import { createReadStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finished, type Readable } from 'node:stream'
import { Refusal } from '../../core/refusal.ts'
import { writeArchiveFile } from '../../platform/archive/archive-file.ts'
import { ArchiveRefusal } from '../../platform/archive/archive-refusal.ts'
import type { Database } from '../../platform/database/database.ts'
import { exportData } from '../portability/export-data.ts'

/** An export reads all rows of an organization, and its file needs disk space until it is sent. */
const MAX_CONCURRENT = 2
const RETRY_SECONDS = 30

export type ExportedFile = { size: number; stream: Readable }

/**
 * Returns the data of an organization, without credentials. It is written to a temporary file first: a client that reads slowly must
 * not hold a snapshot of the database. The file is deleted when it was sent.
 */
export const createDataExporter = (db: Database) => {
  let running = 0
  return async (organizationId: string): Promise<ExportedFile> => {
    if (running >= MAX_CONCURRENT) throw new Refusal('rate_limited', { retryAfterSeconds: RETRY_SECONDS })
    const folder = await mkdtemp(join(tmpdir(), 'carabiner-export-'))
    running++
    const release = async (): Promise<void> => {
      running--
      await rm(folder, { recursive: true, force: true })
    }
    try {
      const file = join(folder, 'data')
      await writeArchiveFile(file, write => exportData(db, organizationId, write))
      const { size } = await stat(file)
      const stream = createReadStream(file)
      finished(stream, () => void release())
      return { size, stream }
    } catch (error) {
      await release()
      if (error instanceof ArchiveRefusal)
        throw new Refusal('organization_not_exportable', { message: error.message, cause: error })
      throw error
    }
  }
}
