import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { CommandError } from '@carabiner/cli'
import {
  ArchiveRefusal,
  createArchiveKey,
  type DataKey,
  parseArchiveKey,
  readArchiveKey,
  readTombstones,
  type Tombstone,
  type WriteBytes,
  writeArchiveFile,
  writeArchiveKey,
} from '@carabiner/server/operator'

type KeyFileOption = { keyFile?: string | undefined }

export const keyFileOf = (file: string, options: KeyFileOption): string => options.keyFile ?? `${file}.key`

type WrittenFile<T> = { result: T; keyCreated: boolean }

/**
 * Writes an encrypted file with the key in the key file, or with a new key. A key that was created for a file that could not be
 * written is deleted.
 */
export const writeEncrypted = async <T>(
  file: string,
  keyFile: string,
  write: (key: DataKey, append: WriteBytes) => Promise<T>,
): Promise<WrittenFile<T>> => {
  const existing = readArchiveKey(keyFile)
  const newKey = createArchiveKey()
  const key = existing ?? parseArchiveKey(newKey, keyFile)
  let keyCreated = false
  try {
    const result = await writeArchiveFile(file, append => {
      if (!existing) writeArchiveKey(keyFile, newKey)
      keyCreated = !existing
      return write(key, append)
    })
    return { result, keyCreated }
  } catch (error) {
    if (keyCreated) rmSync(keyFile, { force: true })
    throw error
  }
}

export const requireArchiveKey = (keyFile: string): DataKey => {
  const key = readArchiveKey(keyFile)
  if (!key)
    throw new CommandError(`The key of the file is missing: there is no file ${keyFile}. Use --key-file.`)
  return key
}

/**
 * Users that were deleted after an archive or a backup was made. Returns undefined if there is no such log. In a folder, each
 * file is a log: several nodes have one each.
 */
export const readDeletedUsers = async (path: string): Promise<Tombstone[] | undefined> => {
  try {
    const files = statSync(path).isDirectory() ? readdirSync(path).map(name => join(path, name)) : [path]
    const logs = await Promise.all(files.filter(file => statSync(file).isFile()).map(readTombstones))
    return logs.flatMap(({ tombstones }) => tombstones)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new ArchiveRefusal(`The deleted-user log at ${path} cannot be read.`, { cause: error })
  }
}
