import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { siblingModule } from '../../../core/sibling-module.ts'

const PROGRAM = fileURLToPath(siblingModule('create-embedded', import.meta.url))
/** Most of the memory of the initialization goes to optimizing code that runs once. */
const NODE_OPTIONS = ['--liftoff-only']

/**
 * Creates the files of the embedded database at the first start. It runs in a child process, because initialization
 * needs several times the memory of the running database, which is released when the process ends.
 */
export const ensureEmbedded = async (folder: string): Promise<void> => {
  if (existsSync(join(folder, 'PG_VERSION'))) return
  await promisify(execFile)(process.execPath, [...NODE_OPTIONS, PROGRAM, folder], { env: {} })
}
