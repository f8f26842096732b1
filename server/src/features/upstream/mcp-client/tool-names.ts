import { createHash } from 'node:crypto'

const SEPARATOR = '__'
const LONGEST_EXPOSED = 64
const SHORTEST_ROOM = 16

/** Room for the tool in `<slug>__<tool>`, whose 64 characters are what the strictest model API takes. */
export const roomForTool = (slug: string): number => LONGEST_EXPOSED - slug.length - SEPARATOR.length

/**
 * A name for each tool of a server that fits into the room. One that fits already is kept; any other becomes a readable rest and
 * a part of its hash. The same names always give the same ones back, two never give one, and none holds the separator.
 */
export const exposeNames = (upstreamNames: string[], room: number): Map<string, string> => {
  if (room < SHORTEST_ROOM) throw new RangeError(`a tool's name needs room for ${SHORTEST_ROOM} characters`)
  const fits = (name: string) =>
    name.length <= room && /^[A-Za-z0-9_-]+$/.test(name) && !name.includes(SEPARATOR)
  const kept = upstreamNames.filter(fits)
  const taken = new Set(kept)
  const changed = upstreamNames
    .filter(name => !fits(name))
    .toSorted()
    .map((name): [string, string] => {
      const exposed = shorten(name, room, taken)
      taken.add(exposed)
      return [name, exposed]
    })
  return new Map([...kept.map((name): [string, string] => [name, name]), ...changed])
}

/** Another tool may be called like the shortened name on purpose; the next stretch of the hash is free of it. */
const shorten = (name: string, room: number, taken: Set<string>): string => {
  const hash = createHash('sha256').update(name).digest('hex')
  const readable = name.replace(/[^A-Za-z0-9-]+/g, '_').replace(/^_+/, '')
  for (let start = 0; start + 8 <= hash.length; start += 8) {
    const rest = readable.slice(0, room - 9).replace(/_+$/, '') || 'tool'
    const exposed = `${rest}_${hash.slice(start, start + 8)}`
    if (!taken.has(exposed)) return exposed
  }
  throw new Error('a server took all the names that a hash has to give')
}
