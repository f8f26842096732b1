import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadMigrations, migrate } from '../migrate.ts'
import { openPglite } from './pglite.ts'

export type FolderPreparation = {
  /** Contains one prepared folder per version. Null: nothing is stored. */
  cache: string | null
  /** SQL that runs after the migrations. */
  script: string
}

/** Fills a folder with a migrated embedded database. A stored copy saves the initialization and the migrations. */
export const fillFolder = async (folder: string, { cache, script }: FolderPreparation): Promise<void> => {
  const stored = cache === null ? null : join(cache, `database-${await fingerprint(script)}`)
  if (stored && existsSync(stored)) return cpSync(stored, folder, { recursive: true })
  const db = await openPglite(folder)
  try {
    await migrate(db, { apply: true })
    await db.script(script)
  } finally {
    await db.close()
  }
  if (stored) store(folder, stored)
}

const fingerprint = async (script: string): Promise<string> => {
  const hash = createHash('sha256').update(script)
  for (const { name, checksum } of await loadMigrations()) hash.update(name).update(checksum)
  const engine = fileURLToPath(import.meta.resolve('@electric-sql/pglite/pglite.data'))
  hash.update(String(statSync(engine).size))
  return hash.digest('hex').slice(0, 16)
}

/** Renamed when complete, because other processes may read or write the same cache. */
const store = (folder: string, stored: string): void => {
  mkdirSync(join(stored, '..'), { recursive: true, mode: 0o700 })
  const draft = mkdtempSync(`${stored}.draft-`)
  try {
    cpSync(folder, draft, { recursive: true })
    if (!existsSync(stored)) renameSync(draft, stored)
  } catch (error) {
    if (!existsSync(stored)) throw error
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}
