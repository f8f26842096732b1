import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const PROGRAM = fileURLToPath(new URL('./create-embedded.ts', import.meta.url))
/** Most of the memory of an initialization goes to optimizing code that runs once. */
const NODE_OPTIONS = ['--liftoff-only']

/**
 * Creates the embedded database's files, at the first start only. In a process of its own: initialization needs several times
 * the memory that the database needs later, and a process gives it back.
 */
export const ensureEmbedded = async (folder: string): Promise<void> => {
  if (existsSync(join(folder, 'PG_VERSION'))) return
  await promisify(execFile)(process.execPath, [...NODE_OPTIONS, PROGRAM, folder], { env: {} })
}
