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

/** Mode 0400, and never overwritten, because losing this file means losing every credential. */
export const writeVaultKeyFile = (path: string, strength: Strength): void => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(path, `${generateVaultKey(strength).reveal()}\n`, { mode: MODE, flag: 'wx' })
}

type KeyFileKind = 'vault key file' | 'archive key file'

/** One key per line, latest first. */
export const readVaultKeyFile = (path: string): Secret[] | undefined => readKeyFile(path, 'vault key file')

export const readKeyFile = (path: string, kind: KeyFileKind): Secret[] | undefined => {
  if (!existsSync(path)) return undefined
  rejectIfShared(path, kind)
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
  if (lines.length === 0) throw new VaultKeyError(`The ${kind} ${path} is empty. Restore it.`)
  return lines.map(line => new Secret(line))
}

/** Any account that can read this file can decrypt the credentials in a stolen backup. */
const rejectIfShared = (path: string, kind: KeyFileKind): void => {
  const mode = statSync(path).mode & 0o777
  if (process.platform === 'win32' || (mode & 0o077) === 0) return
  throw new VaultKeyError(
    `The ${kind} ${path} is accessible to other accounts (mode 0${mode.toString(8)}). Restrict it: chmod 400 ${path}`,
  )
}

/** Adds a new key at the top. Previous keys are kept below it as long as anything is wrapped under them. */
export const addVaultKey = (path: string, strength: Strength): void => {
  const known = readVaultKeyFile(path)
  if (!known) throw new VaultKeyError(`There is no vault key file at ${path}.`)
  replace(path, [generateVaultKey(strength), ...known])
}

/** Removes the keys below the key in use. Returns their number. */
export const dropOlderVaultKeys = (path: string, isInUse: (key: Secret) => boolean): number => {
  const known = readVaultKeyFile(path) ?? []
  const at = known.findIndex(isInUse)
  if (at < 0) throw new VaultKeyError(`The vault key in use is not in ${path}; no key was removed.`)
  if (at + 1 < known.length) replace(path, known.slice(0, at + 1))
  return known.length - at - 1
}

/**
 * Replaces the file atomically, also across a power failure. It keeps its owner, so that a command run by root does
 * not lock the service out.
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
      `The vault key file ${path} cannot be replaced (${(cause as NodeJS.ErrnoException).code ?? 'unknown error'}) and was not changed. Run this command as the owner of the file, on a writable file system.`,
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
