import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ensurePrivateFolder } from './private-folder.ts'

export class FolderInUse extends Error {
  constructor(folder: string) {
    super(
      `${folder} is in use by another process. Two processes on one embedded database would silently lose rows, so this one stops. ` +
        'Stop the other one, choose another DATA_DIRECTORY, or set DATABASE_URL to share a PostgreSQL.',
    )
    this.name = 'FolderInUse'
  }
}

/**
 * An exclusive lock that the kernel releases with the process, even after SIGKILL. Node has no flock; an exclusive
 * SQLite transaction works on every platform and leaves no stale lock file.
 */
export const lockFolder = (folder: string): (() => void) => {
  ensurePrivateFolder(folder)
  const lock = new DatabaseSync(join(folder, 'lock.sqlite'), { timeout: 0 })
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive;')
  } catch (error) {
    lock.close()
    if (/locked|busy/.test((error as Error).message)) throw new FolderInUse(folder)
    throw error
  }
  return () => lock.close()
}
