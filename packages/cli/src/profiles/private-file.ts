import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { CommandError } from '../terminal/output.ts'

/** Reads a JSON file that only its owner may read. Null: it does not exist. */
export const readPrivateJson = (path: string): unknown => {
  let text: string
  try {
    requirePrivate(path)
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    if (error instanceof CommandError) throw error
    throw new CommandError(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code}.`)
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new CommandError(`${path} is not JSON. Repair or delete it, and run \`carabiner login\`.`)
  }
}

/** Windows has no such modes. */
const requirePrivate = (path: string): void => {
  const { mode } = statSync(path)
  if (process.platform !== 'win32' && (mode & 0o077) !== 0)
    throw new CommandError(`Other accounts can read ${path}. Run: chmod 600 ${path}`)
}

/** Replaces the file, so that it never contains a part only. */
export const writePrivateJson = (path: string, value: unknown): void => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const next = `${path}.${process.pid}.new`
  try {
    writeFileSync(next, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    renameSync(next, path)
  } catch (error) {
    rmSync(next, { force: true })
    throw new CommandError(`${path} cannot be written: ${(error as NodeJS.ErrnoException).code}.`)
  }
}
