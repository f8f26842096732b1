import { chmodSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from './make-folder.ts'

/** Permission bits of group and others. */
const OTHERS = 0o077

export class FolderNotPrivate extends Error {
  override name = 'FolderNotPrivate'
}

/**
 * Creates the folder, or removes the permissions of other accounts from an existing one. The embedded database may
 * create its files with any mode, so the folder's mode protects them.
 */
export const ensurePrivateFolder = (folder: string): void => {
  makeFolder('DATA_DIRECTORY', folder)
  orExplain(folder, () => chmodSync(folder, 0o700))
}

/** Removes the permissions of other accounts from everything in the folder, so that a copy is protected too. */
export const closeContents = (folder: string): void =>
  orExplain(folder, () => {
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      const path = join(folder, name)
      const { mode } = lstatSync(path)
      // Symbolic links have mode 0777, and their targets must not be changed.
      if ((mode & OTHERS) !== 0 && !lstatSync(path).isSymbolicLink()) chmodSync(path, mode & 0o700)
    }
  })

const orExplain = (folder: string, close: () => void): void => {
  if (process.platform === 'win32') return
  try {
    close()
  } catch (cause) {
    throw new FolderNotPrivate(
      `${folder} cannot be restricted to its owner (${(cause as NodeJS.ErrnoException).code ?? 'unknown error'}). It must belong to the account that runs the service: change its owner, or choose another DATA_DIRECTORY.`,
      { cause },
    )
  }
}
