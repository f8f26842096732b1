import {
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { Secret } from '../../core/secret.ts'
import { generateVaultKey, type Strength, VaultKeyError } from './key.ts'

const MODE = 0o400

/** Mode 0400, and never overwritten: whoever loses this file loses every credential. */
export const writeVaultKeyFile = (path: string, strength: Strength): void => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(path, `${generateVaultKey(strength).reveal()}\n`, { mode: MODE, flag: 'wx' })
}

/** One key a line, the newest first. */
export const readVaultKeyFile = (path: string): Secret[] | undefined => {
  if (!existsSync(path)) return undefined
  refuseIfShared(path)
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
  if (lines.length === 0) throw new VaultKeyError(`The vault key file ${path} is empty. Restore it.`)
  return lines.map(line => new Secret(line))
}

/** An account that can read this file can decrypt every credential of a stolen backup. */
const refuseIfShared = (path: string): void => {
  const mode = statSync(path).mode & 0o777
  if (process.platform === 'win32' || (mode & 0o077) === 0) return
  throw new VaultKeyError(
    `The vault key file ${path} is open to other accounts (mode 0${mode.toString(8)}). Close it: chmod 400 ${path}`,
  )
}

/** A new key on top; the older ones stay below it for as long as anything is wrapped under them. */
export const addVaultKey = (path: string, strength: Strength): void => {
  const known = readVaultKeyFile(path)
  if (!known) throw new VaultKeyError(`There is no vault key at ${path} to add another one to.`)
  replace(path, [generateVaultKey(strength), ...known])
}

/** What stands below the key in use, and is not needed any more. Returns how many keys that were. */
export const dropOlderVaultKeys = (path: string, isInUse: (key: Secret) => boolean): number => {
  const known = readVaultKeyFile(path) ?? []
  const at = known.findIndex(isInUse)
  if (at < 0) throw new VaultKeyError(`The vault key in use is not in ${path}; nothing was dropped from it.`)
  if (at + 1 < known.length) replace(path, known.slice(0, at + 1))
  return known.length - at - 1
}

/**
 * Whoever reads the file meanwhile, or after the power failed, has the old one or the new one whole. It keeps its owner: a
 * command that is run by root must not lock the service out.
 */
const replace = (path: string, keys: Secret[]): void => {
  const next = `${path}.new`
  const { uid, gid } = statSync(path)
  rmSync(next, { force: true })
  try {
    writeFileSync(next, keys.map(key => `${key.reveal()}\n`).join(''), {
      mode: MODE,
      flag: 'wx',
      flush: true,
    })
    const made = statSync(next)
    if (made.uid !== uid || made.gid !== gid) chownSync(next, uid, gid)
    renameSync(next, path)
  } catch (cause) {
    rmSync(next, { force: true })
    throw new VaultKeyError(
      `The vault key file ${path} cannot be replaced (${(cause as NodeJS.ErrnoException).code ?? 'unknown error'}); it is as it was. Run this as its owner, on a file system that can be written to.`,
      { cause },
    )
  }
  syncFolder(dirname(path))
}

const syncFolder = (folder: string): void => {
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
