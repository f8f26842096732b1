import { existsSync } from 'node:fs'
import { startPlayer, type TapeOrder } from './play-tape.ts'
import { startRecorder } from './record-tape.ts'
import { createRedact, type RedactionOptions } from './redact.ts'
import { readTape, type TapeEntry, writeTape } from './tape-file.ts'

export type TapeOptions = RedactionOptions & {
  /** The JSON file. Commit it with your tests, after you have read it. */
  file: string
  /**
   * `replay` answers from the file. `record` calls `url` and writes the file. `auto` records if the file does not exist. Default: the
   * environment variable `CARABINER_TAPE`, or else `replay`.
   */
  mode?: 'replay' | 'record' | 'auto' | undefined
  /** The MCP endpoint to record. */
  url?: string | undefined
  /** Sent to `url` with every request. They are not recorded. */
  headers?: Readonly<Record<string, string>> | undefined
  /** `recorded`: tool calls must come in the order of the tape. Default: `any`. */
  order?: TapeOrder | undefined
}

export type Tape = {
  /** The MCP endpoint for your client. It needs no key. */
  url: string
  mode: 'replay' | 'record'
  entries(): readonly TapeEntry[]
  /** Recorded requests that have not been replayed. */
  unused(): readonly TapeEntry[]
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Opens an MCP endpoint that records tool calls, or replays them without a network. */
export const openTape = async (options: TapeOptions): Promise<Tape> => {
  const mode = chooseMode(options)
  return mode === 'record' ? record(options) : replay(options)
}

const MODES = ['replay', 'record', 'auto'] as const

const chooseMode = ({ mode, file }: TapeOptions): Tape['mode'] => {
  const wanted = mode ?? MODES.find(known => known === process.env['CARABINER_TAPE']) ?? 'replay'
  if (wanted === 'auto') return existsSync(file) ? 'replay' : 'record'
  return wanted
}

const record = async ({ file, url, headers = {}, rules, secrets = [] }: TapeOptions): Promise<Tape> => {
  if (!url) throw new TypeError(`To record ${file}, openTape needs the url of an MCP endpoint.`)
  const entries: TapeEntry[] = []
  const known = Object.values(headers).map(value => value.replace(/^(?:Bearer|Basic) /i, ''))
  const { url: address, close } = await startRecorder({
    url,
    headers,
    redact: createRedact({ rules, secrets: [...secrets, ...known] }),
    onEntry: entry => {
      entries.push(entry)
      writeTape(file, entries)
    },
  })
  return {
    url: address,
    mode: 'record',
    entries: () => entries,
    unused: () => [],
    close,
    [Symbol.asyncDispose]: close,
  }
}

const replay = async ({ file, rules, secrets, order = 'any' }: TapeOptions): Promise<Tape> => {
  const { entries } = readTape(file)
  const player = await startPlayer({ file, entries, order, redact: createRedact({ rules, secrets }) })
  const { url, close, unused } = player
  return { url, mode: 'replay', entries: () => entries, unused, close, [Symbol.asyncDispose]: close }
}
