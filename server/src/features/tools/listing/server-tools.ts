import type { Database } from '../../../platform/database/database.ts'
import { type OwnTool, serverTool } from './listed-tool.ts'
import { type ListedServer, listingStore, type ServerTools } from './listing-store.ts'

type Kept = { tools: OwnTool[]; size: number }

/** In characters of definitions: about ten thousand tools. */
const MAX_CACHED_LENGTH = 32_000_000

/**
 * Caches tool definitions of MCP servers by slug and hash. The current hash is read for every list and covers everything that a list
 * shows, so a cached definition equals the stored one.
 */
const shelf = new Map<string, Kept>()
let size = 0

const keyOf = ({ slug, toolsHash }: { slug: string; toolsHash: string | null }): string =>
  `${slug} ${toolsHash}`

/** The known tools of each server, by slug. Only definitions that are not cached are read. */
export const toolsOfServers = async (
  db: Database,
  organizationId: string,
  servers: ListedServer[],
): Promise<Map<string, OwnTool[]>> => {
  const known = servers.filter(({ toolsHash }) => toolsHash !== null)
  const found = new Map<string, OwnTool[]>()
  for (const server of known) {
    const kept = take(keyOf(server))
    if (kept) found.set(server.slug, kept.tools)
  }
  const missing = known.filter(({ slug }) => !found.has(slug)).map(({ slug }) => slug)
  if (missing.length === 0) return found
  for (const stored of await listingStore.serverTools(db, organizationId, missing))
    found.set(stored.slug, keep(stored))
  return found
}

/** Least recently used first. */
const take = (key: string): Kept | undefined => {
  const kept = shelf.get(key)
  if (kept) {
    shelf.delete(key)
    shelf.set(key, kept)
  }
  return kept
}

const keep = (stored: ServerTools): OwnTool[] => {
  const tools = stored.tools.map(tool => serverTool(stored.slug, tool))
  const kept = { tools, size: JSON.stringify(stored.tools).length }
  const key = keyOf(stored)
  drop(key)
  shelf.set(key, kept)
  size += kept.size
  for (const oldest of shelf.keys()) {
    if (size <= MAX_CACHED_LENGTH) break
    drop(oldest)
  }
  return tools
}

const drop = (key: string): void => {
  size -= shelf.get(key)?.size ?? 0
  shelf.delete(key)
}
