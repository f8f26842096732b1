import { createReadStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finished, type Readable } from 'node:stream'
import { Refusal } from '../../core/refusal.ts'
import { Secret } from '../../core/secret.ts'
import { writeArchiveFile } from '../../platform/archive/archive-file.ts'
import { parseArchiveKey } from '../../platform/archive/archive-key.ts'
import { ArchiveRefusal } from '../../platform/archive/archive-refusal.ts'
import type { Database } from '../../platform/database/database.ts'
import type { DataKey } from '../../platform/vault/sealing.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import { exportOrganization } from '../portability/export-organization.ts'

/** An export reads all rows of an organization, and its file needs disk space until it is sent. */
const MAX_CONCURRENT = 2
const RETRY_SECONDS = 30

type Deps = { db: Database; vault: Vault }
export type ExportedArchive = { size: number; stream: Readable }

/**
 * Returns the archive of an organization as `carabiner org export` writes it. It is written to a temporary file first: a client that reads
 * slowly must not hold a snapshot of the database. The file is encrypted with the client's key, and deleted when it was sent.
 */
export const createArchiveExporter = (deps: Deps) => {
  let running = 0
  return async (organizationId: string, keyText: string): Promise<ExportedArchive> => {
    const key = parseKey(keyText)
    if (running >= MAX_CONCURRENT) throw new Refusal('rate_limited', { retryAfterSeconds: RETRY_SECONDS })
    const folder = await mkdtemp(join(tmpdir(), 'carabiner-export-'))
    running++
    const release = async (): Promise<void> => {
      running--
      await rm(folder, { recursive: true, force: true })
    }
    try {
      const file = join(folder, 'archive')
      await writeArchiveFile(file, write => exportOrganization(deps, organizationId, { key, write }))
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

const parseKey = (text: string): DataKey => {
  try {
    return parseArchiveKey(new Secret(text), 'key')
  } catch (cause) {
    throw new Refusal('invalid_archive_key', { param: 'key', cause })
  }
}
