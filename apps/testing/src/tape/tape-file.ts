import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { JsonRpcError } from '../mcp/mcp-endpoint.ts'

/** One recorded request and its answer, redacted. */
export type TapeEntry = {
  method: string
  params: Record<string, unknown>
} & ({ result: unknown } | { error: JsonRpcError })

export type TapeFile = { tape: 1; entries: TapeEntry[] }

export const readTape = (file: string): TapeFile => {
  if (!existsSync(file))
    throw new Error(
      `There is no tape at ${file}. Record it: openTape({ file, mode: 'record', url, headers }).`,
    )
  const content = JSON.parse(readFileSync(file, 'utf8')) as Partial<TapeFile>
  if (content.tape === 1 && Array.isArray(content.entries)) return content as TapeFile
  throw new Error(`${file} is not a tape of this version. Record it again.`)
}

/** Replaced as a whole, so that an interrupted test leaves the previous tape or a complete one. */
export const writeTape = (file: string, entries: readonly TapeEntry[]): void => {
  mkdirSync(dirname(file), { recursive: true })
  const draft = `${file}.${process.pid}.tmp`
  writeFileSync(draft, `${JSON.stringify({ tape: 1, entries }, null, 2)}\n`)
  renameSync(draft, file)
}
