import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** A configured folder that cannot be used. The message names the setting. */
export class FolderUnusable extends Error {
  constructor(setting: string, folder: string, reason: string) {
    super(`${setting} is ${folder}, which cannot be used as a folder: ${reason}. Choose another ${setting}.`)
    this.name = 'FolderUnusable'
  }
}

/**
 * Creates a folder and its parents, for this user only. Folders are created one by one, because Node's recursive
 * mkdir never returns if a parent cannot be created (below /proc, for example).
 */
export const makeFolder = (setting: string, folder: string): void => {
  try {
    makeWithParents(folder)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new FolderUnusable(setting, folder, REASONS[code ?? ''] ?? message)
  }
}

const REASONS: Record<string, string> = {
  ENOTDIR: 'it is a file, or one of its parents is',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EROFS: 'the file system is read-only',
  ENOENT: 'it cannot be created there',
  ENOSPC: 'the disk is full',
}

const makeWithParents = (folder: string): void => {
  const found = statSync(folder, { throwIfNoEntry: false })
  if (found?.isDirectory()) return
  if (found) throw Object.assign(new Error('it is a file'), { code: 'ENOTDIR' })
  if (dirname(folder) !== folder) makeWithParents(dirname(folder))
  mkdirSync(folder, { mode: 0o700 })
}
