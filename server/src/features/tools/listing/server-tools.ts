import type { Database } from '../../../platform/database/database.ts'
import { type OwnTool, serverTool } from './listed-tool.ts'
import { type ListedServer, listingStore, type ServerTools } from './listing-store.ts'

type Kept = { tools: OwnTool[]; size: number }

/** Characters of definitions that are kept: some ten thousand tools. */
const MOST_KEPT = 32_000_000

/**
 * The definitions of servers' tools by slug and hash. Which hash counts is read anew for every list, and the hash is of everything
 * that a list shows: what is found here is what the database holds.
 */
const shelf = new Map<string, Kept>()
let size = 0

const keyOf = ({ slug, tools_hash }: { slug: string; tools_hash: string | null }): string =>
  `${slug} ${tools_hash}`

/** The tools of each server whose tools are known, by slug. Only what is not kept is asked for. */
export const toolsOfServers = async (
  db: Database,
  organizationId: string,
  servers: ListedServer[],
): Promise<Map<string, OwnTool[]>> => {
  const known = servers.filter(({ tools_hash }) => tools_hash !== null)
  const found = new Map<string, OwnTool[]>()
  for (const server of known) {
    const kept = take(keyOf(server))
    if (kept) found.set(server.slug, kept.tools)
  }
  const missing = known.filter(({ slug }) => !found.has(slug)).map(({ slug }) => slug)
  if (missing.length === 0) return found
  for (const row of await listingStore.serverTools(db, organizationId, missing))
    found.set(row.slug, keep(row))
  return found
}

/** Those used last stand at the end. */
const take = (key: string): Kept | undefined => {
  const kept = shelf.get(key)
  if (kept) {
    shelf.delete(key)
    shelf.set(key, kept)
  }
  return kept
}

const keep = (row: ServerTools): OwnTool[] => {
  const tools = row.tools.map(tool => serverTool(row.slug, tool))
  const kept = { tools, size: JSON.stringify(row.tools).length }
  const key = keyOf(row)
  drop(key)
  shelf.set(key, kept)
  size += kept.size
  for (const oldest of shelf.keys()) {
    if (size <= MOST_KEPT) break
    drop(oldest)
  }
  return tools
}

const drop = (key: string): void => {
  size -= shelf.get(key)?.size ?? 0
  shelf.delete(key)
}
