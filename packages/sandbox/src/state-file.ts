import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCode } from './error-code.ts'
import { parseState, type SandboxState } from './sandbox-state.ts'

/** A sign-in causes several changes, which are combined into one write. */
const WRITE_DELAY_MS = 100

/** A missing, unreadable or damaged file counts as absent. Its content is not logged, because it contains keys. */
export async function readStateFile(path: string): Promise<SandboxState | undefined> {
  try {
    return parseState(await readFile(path, 'utf8'))
  } catch {
    return undefined
  }
}

export type StateWriter = { changed: () => void; flush: () => Promise<void> }

export const keepNothing: StateWriter = { changed() {}, async flush() {} }

export function createStateWriter(path: string, snapshot: () => SandboxState): StateWriter {
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()

  const write = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    // Writes are sequential, so that an older snapshot never overwrites a newer one.
    writing = writing.then(() => replaceFile(path, JSON.stringify(snapshot())))
    return writing
  }

  return {
    changed() {
      timer ??= setTimeout(() => void write(), WRITE_DELAY_MS).unref()
    },
    flush: write,
  }
}

/** Replaces the file atomically. Only the owner may read it. */
async function replaceFile(path: string, content: string): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`
  try {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(temporary, content, { mode: 0o600 })
    await rename(temporary, path)
  } catch (error) {
    console.error(`sandbox: the state could not be saved (${errorCode(error) ?? 'unknown error'})`)
  }
}
