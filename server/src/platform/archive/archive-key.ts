import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { Secret } from '../../core/secret.ts'
import { readKeyFile } from '../vault/key-file.ts'
import { type DataKey, importDataKey } from '../vault/sealing.ts'
import { ArchiveRefusal } from './archive-refusal.ts'

const FORMAT = /^carabiner-archive-key-v1:([A-Za-z0-9_-]{64})$/

/** The key that encrypts archives: an ID of 16 bytes and an AES-256 key. */
export const createArchiveKey = (): Secret =>
  new Secret(`carabiner-archive-key-v1:${randomBytes(48).toString('base64url')}`)

export const parseArchiveKey = (text: Secret, source: string): DataKey => {
  const match = FORMAT.exec(text.reveal())
  if (!match?.[1]) throw new ArchiveRefusal(`${source} does not contain the key of an archive.`)
  return importDataKey(Buffer.from(match[1], 'base64url'))
}

/** Returns undefined if there is no such file. */
export const readArchiveKey = (path: string): DataKey | undefined => {
  const [key, ...others] = readKeyFile(path, 'archive key file') ?? []
  if (!key) return undefined
  if (others.length > 0) throw new ArchiveRefusal(`${path} contains more than one line.`)
  return parseArchiveKey(key, path)
}

/** Mode 0400, and never overwritten, because older archives may need the key. */
export const writeArchiveKey = (path: string, key: Secret): void => {
  try {
    writeFileSync(path, `${key.reveal()}\n`, { mode: 0o400, flag: 'wx', flush: true })
  } catch (cause) {
    throw new ArchiveRefusal(`The key file cannot be written: ${(cause as Error).message}.`, { cause })
  }
}
