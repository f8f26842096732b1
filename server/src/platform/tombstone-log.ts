import { type FileHandle, mkdir, open, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isUuid } from '../core/uuid.ts'

/** The IDs of a deleted user. The log contains nothing else. */
export type Tombstone = { organizationId: string; registeredUserId: string }

export type TombstoneLog = {
  /** Resolves once the entry is on disk. */
  append(tombstone: Tombstone): Promise<void>
}

export class TombstoneLogError extends Error {
  override name = 'TombstoneLogError'
}

const NEWLINE = 10

/**
 * The deleted-user log. It is kept outside the database, so that restoring a backup does not restore them. The
 * file is opened for each entry, because deletions are rare and a rotated or remounted file is then detected at once.
 */
export const openTombstoneLog = async (path: string): Promise<TombstoneLog> => {
  await withLog(path, () => Promise.resolve())
  return {
    append: ({ organizationId, registeredUserId }) =>
      withLog(path, async file => {
        const line = `${organizationId} ${registeredUserId}\n`
        await file.appendFile((await endsWithinLine(file)) ? `\n${line}` : line)
        await file.datasync()
      }),
  }
}

const withLog = async (path: string, work: (file: FileHandle) => Promise<void>): Promise<void> => {
  try {
    const created = await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await using file = await open(path, 'a+', 0o600)
    const { size } = await file.stat()
    if (created !== undefined || size === 0) await syncFolder(dirname(path))
    await work(file)
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error'
    throw new TombstoneLogError(
      `The deleted-user log at ${path} cannot be written (${code}). Users cannot be deleted without it. Set TOMBSTONE_PATH to a file on a writable, durable disk.`,
      { cause },
    )
  }
}

/** A crash during a write leaves a partial line; the next entry must start on a new line. */
const endsWithinLine = async (file: FileHandle): Promise<boolean> => {
  const { size } = await file.stat()
  if (size === 0) return false
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1)
  return buffer[0] !== NEWLINE
}

const syncFolder = async (folder: string): Promise<void> => {
  await using handle = await open(folder, 'r')
  await handle.sync()
}

/** `malformed` counts lines truncated by a crash. Their deletions were never confirmed. */
export const readTombstones = async (
  path: string,
): Promise<{ tombstones: Tombstone[]; malformed: number }> => {
  const lines = (await readFile(path, 'utf8')).split('\n').filter(line => line !== '')
  const tombstones = lines.flatMap(line => {
    const [organizationId = '', registeredUserId = '', ...rest] = line.split(' ')
    const isWhole = isUuid(organizationId) && isUuid(registeredUserId) && rest.length === 0
    return isWhole ? [{ organizationId, registeredUserId }] : []
  })
  return { tombstones, malformed: lines.length - tombstones.length }
}
