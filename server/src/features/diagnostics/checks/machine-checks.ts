import { constants, existsSync, statSync } from 'node:fs'
import { access, statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { type Check, ok, problem, type RunningContext } from './finding.ts'

const MIN_NODE = [24, 12]
const MIN_FREE_BYTES = 1_000_000_000
const MIN_FREE_SHARE = 0.05

export const nodeCheck: Check<RunningContext> = {
  name: 'Node.js',
  run: async () => {
    const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
    const [minMajor = 0, minMinor = 0] = MIN_NODE
    return major > minMajor || (major === minMajor && minor >= minMinor)
      ? ok(process.version)
      : problem(process.version, `Update Node.js to version ${MIN_NODE.join('.')} or newer.`)
  },
}

/** The nearest folder that exists. */
const existingFolder = (path: string): string => {
  let folder = resolve(path)
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder)
  return folder
}

export const diskCheck: Check<RunningContext> = {
  name: 'disk',
  run: async ({ config }) => {
    const folders = [
      ...(config.databaseUrl ? [] : [config.dataDirectory]),
      dirname(config.tombstonePath),
    ].map(existingFolder)
    return Promise.all(
      [...new Set(folders)].map(async folder => {
        const { bavail, bsize, blocks } = await statfs(folder)
        const free = bavail * bsize
        const found = `${(free / 1e9).toFixed(1)} GB free at ${folder}`
        return free >= MIN_FREE_BYTES && bavail / blocks >= MIN_FREE_SHARE
          ? ok(found)
          : problem(
              found,
              'Free or add disk space. Deletions and the embedded database stop when the disk is full.',
            )
      }),
    )
  },
}

const notAFile = Object.assign(new Error(), { code: 'not a file' })

export const tombstoneCheck: Check<RunningContext> = {
  name: 'deleted-user log',
  run: async ({ config }) => {
    const { tombstonePath } = config
    const target = existsSync(tombstonePath) ? tombstonePath : existingFolder(dirname(tombstonePath))
    try {
      await access(target, constants.W_OK)
      if (statSync(target).isDirectory() === existsSync(tombstonePath)) throw notAFile
      return ok(`${tombstonePath} can be written`)
    } catch (error) {
      return problem(
        `${tombstonePath} cannot be written (${(error as NodeJS.ErrnoException).code ?? 'unknown error'}).`,
        'Set TOMBSTONE_PATH to a file on a writable, durable disk. The service does not start without it.',
      )
    }
  },
}
