import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCode } from './error-code.ts'
import { parseState, type SandboxState } from './sandbox-state.ts'

/** Changes come in bursts, several to a sign-in; one write takes them all. */
const WRITE_DELAY_MS = 100

/** A file that is absent, unreadable or damaged counts as none. Nothing of it is logged: it holds keys. */
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
    // One after another, so that an older snapshot never lands on a newer one.
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

/** A reader sees the old file or the new one, never half of one. Only the owner may read it. */
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
