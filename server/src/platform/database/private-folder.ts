import { chmodSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from './make-folder.ts'

/** Read, write and search for group and others. */
const OTHERS = 0o077

export class FolderNotPrivate extends Error {
  override name = 'FolderNotPrivate'
}

/**
 * Creates the folder, or closes an existing one to other accounts. The embedded database may create its files with any mode,
 * so the mode of the folder is what protects them.
 */
export const ensurePrivateFolder = (folder: string): void => {
  makeFolder('DATA_DIRECTORY', folder)
  orExplain(folder, () => chmodSync(folder, 0o700))
}

/** Closes everything in the folder to other accounts, so that a copy of it is not open either. */
export const closeContents = (folder: string): void =>
  orExplain(folder, () => {
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      const path = join(folder, name)
      const { mode } = lstatSync(path)
      // Symbolic links have mode 0777, and their targets are not ours to change.
      if ((mode & OTHERS) !== 0 && !lstatSync(path).isSymbolicLink()) chmodSync(path, mode & 0o700)
    }
  })

const orExplain = (folder: string, close: () => void): void => {
  if (process.platform === 'win32') return
  try {
    close()
  } catch (cause) {
    throw new FolderNotPrivate(
      `${folder} cannot be closed to other accounts (${(cause as NodeJS.ErrnoException).code ?? 'unknown error'}). It must belong to the account that runs the service: change its owner, or choose another DATA_DIRECTORY.`,
      { cause },
    )
  }
}
