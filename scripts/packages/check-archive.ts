import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { publint } from 'publint'

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)

/** Returns what publint and attw find in an archive. */
export const checkArchive = async (file: string): Promise<string[]> => {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-archive-'))
  try {
    await run('tar', ['-xzf', file, '-C', folder, '--strip-components=1'])
    const { messages } = await publint({ pkgDir: folder, strict: true })
    return [
      ...messages.map(message => `publint: ${JSON.stringify(message)}`),
      ...(await findTypeProblems(file)),
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Programs have no types. */
const PROGRAMS = ['./main']

const findTypeProblems = async (file: string): Promise<string[]> => {
  const attw = join(root, 'node_modules/.bin/attw')
  const options = ['--profile', 'esm-only', '--no-emoji', '--exclude-entrypoints', ...PROGRAMS]
  try {
    await run(process.execPath, [attw, file, ...options], { cwd: root, maxBuffer: 64 * 1024 * 1024 })
    return []
  } catch (error) {
    return [`attw: ${(error as { stdout: string }).stdout}`]
  }
}
