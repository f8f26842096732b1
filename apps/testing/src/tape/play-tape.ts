import { type McpEndpoint, type McpRequest, type McpResponse, startMcpEndpoint } from '../mcp/mcp-endpoint.ts'
import { methodNotFound } from '../mcp/mcp-server.ts'
import type { Redact } from './redact.ts'
import type { TapeEntry } from './tape-file.ts'
import { tapeKey } from './tape-key.ts'

export type TapeOrder = 'any' | 'recorded'

export type Player = McpEndpoint & { unused: () => TapeEntry[] }

type Playing = { file: string; entries: readonly TapeEntry[]; order: TapeOrder; redact: Redact }

/** The code of invalid parameters: clients report the message of the error. */
const NOT_RECORDED = -32_602
/** Requests that clients send on their own, and that not every tape contains. */
const OPTIONAL = ['server/discover', 'logging/setLevel', 'resources/list', 'prompts/list']

/** An MCP endpoint that answers from a tape. */
export const startPlayer = async (playing: Playing): Promise<Player> => {
  const used = new Set<TapeEntry>()
  const find = playing.order === 'any' ? findAny(playing) : findNext(playing, used)
  const endpoint = await startMcpEndpoint({ name: 'carabiner-tape', version: '1' }, request => {
    const wanted = { method: request.method, params: playing.redact(request.params) }
    const entry = find(wanted)
    if (!entry)
      return OPTIONAL.includes(request.method) ? methodNotFound(request.method) : missing(playing, wanted)
    used.add(entry)
    return 'error' in entry ? { error: entry.error } : { result: entry.result }
  })
  return { ...endpoint, unused: () => playing.entries.filter(entry => !used.has(entry)) }
}

/** The same call always gets the same answer: the first one on the tape. */
const findAny = ({ entries }: Playing): ((request: McpRequest) => TapeEntry | undefined) => {
  const byKey = new Map(entries.toReversed().map(entry => [tapeKey(entry), entry]))
  return request => byKey.get(tapeKey(request))
}

/** Tool calls must come in the recorded order. The list of tools may be read at any time. */
const findNext = (
  playing: Playing,
  used: ReadonlySet<TapeEntry>,
): ((request: McpRequest) => TapeEntry | undefined) => {
  const anywhere = findAny(playing)
  return request => {
    if (request.method !== 'tools/call') return anywhere(request)
    const next = playing.entries.find(entry => entry.method === 'tools/call' && !used.has(entry))
    return next && tapeKey(next) === tapeKey(request) ? next : undefined
  }
}

const MAX_SHOWN = 10

const missing = ({ file, entries, order }: Playing, request: McpRequest): McpResponse => {
  const related = entries.filter(
    ({ method, params }) => method === request.method && params['name'] === request.params['name'],
  )
  const shown = (related.length > 0 ? related : entries)
    .slice(0, MAX_SHOWN)
    .map(entry => `  ${tapeKey(entry)}`)
  const message = [
    `The tape ${file} has no ${order === 'recorded' ? 'such next call' : 'such call'}: ${tapeKey(request)}`,
    shown.length > 0 ? 'Recorded:' : 'Nothing is recorded.',
    ...shown,
    `To record again: openTape({ file, mode: 'record', url, headers }), or CARABINER_TAPE=record.`,
  ]
  return { error: { code: NOT_RECORDED, message: message.join('\n') } }
}
