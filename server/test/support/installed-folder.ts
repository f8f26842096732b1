import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'

const TESTS = join(import.meta.dirname, '..')
const CACHE = join(TESTS, '../../.cache')
const MANIFEST = ['package.json', 'package-lock.json']

export type InstalledFolder = {
  /** Folder that contains `node_modules`. */
  packages: string
  /** Programs of the tests, located below the packages that they import. */
  programs: string
}

/** A folder with its own lockfile, installed on first use, once per content of the lockfile. */
export const installFolder = async (name: string, parent: string = TESTS): Promise<InstalledFolder> => {
  const source = join(parent, name)
  const own = readdirSync(source).filter(file => !MANIFEST.includes(file))
  const copy = (files: string[], to: string) => {
    for (const file of files) cpSync(join(source, file), join(to, file), { recursive: true })
  }
  const packages = await makeOnce(join(CACHE, `${name}-${hashOf(source, MANIFEST)}`), async draft => {
    copy(MANIFEST, draft)
    removeOlder(name, draft)
    await promisify(execFile)('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: draft })
  })
  const programs = await makeOnce(join(packages, `programs-${hashOf(source, own)}`), async draft =>
    copy(own, draft),
  )
  return { packages, programs }
}

/** Deletes installations of earlier lockfiles, which take hundreds of megabytes. */
const removeOlder = (name: string, draft: string): void => {
  for (const folder of readdirSync(CACHE))
    if (folder.startsWith(`${name}-`) && !draft.includes(folder.replace(/\.lock$/, '')))
      rmSync(join(CACHE, folder), { recursive: true, force: true })
}

const hashOf = (source: string, files: string[]): string => {
  const hash = createHash('sha256')
  for (const file of files.toSorted()) hash.update(file).update(readFileSync(join(source, file)))
  return hash.digest('hex').slice(0, 12)
}

/** Test files may need the same folder concurrently: one installs it, the others wait. */
const makeOnce = async (folder: string, fill: (draft: string) => Promise<void>): Promise<string> => {
  mkdirSync(dirname(folder), { recursive: true })
  const lock = `${folder}.lock`
  while (!existsSync(folder)) {
    if (!takeLock(lock)) {
      await delay(100)
      continue
    }
    const draft = mkdtempSync(`${folder}-draft-`)
    try {
      if (existsSync(folder)) break
      await fill(draft)
      renameSync(draft, folder)
    } finally {
      rmSync(draft, { recursive: true, force: true })
      rmSync(lock, { force: true })
    }
  }
  return folder
}

/** A lock is stale if its holder was killed. */
const takeLock = (lock: string): boolean => {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' })
    return true
  } catch {
    const holder = existsSync(lock) ? Number(readFileSync(lock, 'utf8')) : 0
    if (holder > 0 && !isAlive(holder)) rmSync(lock, { force: true })
    return false
  }
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
