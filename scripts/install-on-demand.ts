import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'

const CACHE = join(import.meta.dirname, '../.cache')

/** A folder with a lockfile of its own, installed the first time it is needed, once for what is in it. */
export const installOnDemand = async (source: string): Promise<string> => {
  const name = basename(source)
  const hash = createHash('sha256')
  for (const file of readdirSync(source).toSorted())
    hash.update(file).update(readFileSync(join(source, file)))
  const folder = join(CACHE, `${name}-${hash.digest('hex').slice(0, 12)}`)
  if (existsSync(folder)) return folder
  mkdirSync(CACHE, { recursive: true })
  const draft = mkdtempSync(join(CACHE, `${name}-draft-`))
  try {
    cpSync(source, draft, { recursive: true })
    await promisify(execFile)('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: draft })
    renameSync(draft, folder)
  } catch (error) {
    // Another process may have been quicker; then its folder stays.
    if (!existsSync(folder)) throw error
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
  return folder
}
