import { createHash } from 'node:crypto'

const SEPARATOR = '__'
const MAX_EXPOSED_LENGTH = 64
const MIN_TOOL_NAME_LENGTH = 16

/** The length that remains for the tool in `<slug>__<tool>`. The strictest model API accepts 64 characters. */
export const maxToolNameLength = (slug: string): number => MAX_EXPOSED_LENGTH - slug.length - SEPARATOR.length

/**
 * Gives each tool of a server a valid name of at most `maxLength` characters. Valid names are kept; others are
 * shortened and end in part of their hash. The mapping is deterministic and unique, and no name contains the
 * separator.
 */
export const exposeNames = (upstreamNames: string[], maxLength: number): Map<string, string> => {
  if (maxLength < MIN_TOOL_NAME_LENGTH)
    throw new RangeError(`a tool name needs at least ${MIN_TOOL_NAME_LENGTH} characters`)
  const fits = (name: string) =>
    name.length <= maxLength && /^[A-Za-z0-9_-]+$/.test(name) && !name.includes(SEPARATOR)
  const kept = upstreamNames.filter(fits)
  const taken = new Set(kept)
  const changed = upstreamNames
    .filter(name => !fits(name))
    .toSorted()
    .map((name): [string, string] => {
      const exposed = shorten(name, maxLength, taken)
      taken.add(exposed)
      return [name, exposed]
    })
  return new Map([...kept.map((name): [string, string] => [name, name]), ...changed])
}

/** Another tool may deliberately have the shortened name; then the next part of the hash is used. */
const shorten = (name: string, maxLength: number, taken: Set<string>): string => {
  const hash = createHash('sha256').update(name).digest('hex')
  const readable = name.replace(/[^A-Za-z0-9-]+/g, '_').replace(/^_+/, '')
  for (let start = 0; start + 8 <= hash.length; start += 8) {
    const prefix = readable.slice(0, maxLength - 9).replace(/_+$/, '') || 'tool'
    const exposed = `${prefix}_${hash.slice(start, start + 8)}`
    if (!taken.has(exposed)) return exposed
  }
  throw new Error('no unique name is left for a tool of this server')
}
