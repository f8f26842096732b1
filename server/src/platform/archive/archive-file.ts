import { existsSync } from 'node:fs'
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { HOUR } from '../../core/duration.ts'
import type { ArchiveSource, ByteReader } from './archive-reader.ts'
import { ArchiveRefusal } from './archive-refusal.ts'

export type WriteBytes = (bytes: Buffer) => Promise<void>

/**
 * Writes a file that appears under its name when it is complete. If `write` fails, nothing remains. Mode 0600, and an existing
 * file is never replaced.
 */
export const writeArchiveFile = async <T>(
  path: string,
  write: (append: WriteBytes) => Promise<T>,
): Promise<T> => {
  if (existsSync(path)) throw new ArchiveRefusal(`${path} exists already.`)
  const partial = `${path}.partial`
  const file = await createFile(partial)
  try {
    const result = await write(bytes => file.appendFile(bytes).catch(refuseToWrite))
    await file.sync().catch(refuseToWrite)
    await file.close()
    if (existsSync(path)) throw new ArchiveRefusal(`${path} exists already.`)
    await rename(partial, path)
    await syncFolder(dirname(path))
    return result
  } catch (error) {
    await file.close().catch(() => undefined)
    await rm(partial, { force: true })
    throw error
  }
}

/** A command that is still writing has changed its file more recently. */
const STALE_MS = HOUR

/** A killed command leaves its file behind, which must not prevent the next backup with the same name. */
const removeStale = async (partial: string): Promise<void> => {
  const found = await stat(partial).catch(() => null)
  if (found && Date.now() - found.mtimeMs > STALE_MS) await rm(partial, { force: true })
}

const createFile = async (partial: string): Promise<FileHandle> => {
  await removeStale(partial)
  try {
    return await open(partial, 'wx', 0o600)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST')
      throw new ArchiveRefusal(
        `${partial} exists already: another command is writing it, or one was killed less than an hour ago. Delete it in the second case.`,
        { cause },
      )
    return refuseToWrite(cause)
  }
}

const refuseToWrite = (cause: unknown): never => {
  throw new ArchiveRefusal(`The file cannot be written: ${(cause as Error).message}.`, { cause })
}

const syncFolder = async (folder: string): Promise<void> => {
  await using handle = await open(folder, 'r')
  await handle.sync()
}

export const archiveFileSource = (path: string): ArchiveSource => {
  if (!existsSync(path)) throw new ArchiveRefusal(`There is no file ${path}.`)
  return { open: () => openReader(path) }
}

const openReader = (path: string): AsyncDisposable & ByteReader => {
  let file: FileHandle | undefined
  return {
    read: async length => {
      file ??= await open(path, 'r')
      const buffer = Buffer.alloc(Math.min(length, (await file.stat()).size))
      let filled = 0
      while (filled < buffer.length) {
        const { bytesRead } = await file.read(buffer, filled, buffer.length - filled)
        if (bytesRead === 0) break
        filled += bytesRead
      }
      return buffer.subarray(0, filled)
    },
    [Symbol.asyncDispose]: async () => file?.close(),
  }
}
