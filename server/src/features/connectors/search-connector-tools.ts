import type { FoundTools } from '@carabiner/contract'
import type { Database } from '../../platform/database/database.ts'
import type { Connectors, UsableConnector } from './availability.ts'
import { describeCatalogTools } from './catalog/catalog-tools.ts'
import { showTool } from './mcp-servers/describe-tools.ts'
import { mcpConnectorStore } from './mcp-servers/mcp-connector-store.ts'

/** Bounds the response: a definition may have many kilobytes. */
const MAX_TOOLS = 100

type Deps = { db: Database; connectors: Pick<Connectors, 'usable'> }

/**
 * Finds tools of all usable connectors. `text` is part of a name or title, or of `connector__tool`. Tools beyond the maximum are
 * counted only.
 */
export const searchTools = async (
  { db, connectors }: Deps,
  organizationId: string,
  text: string,
): Promise<FoundTools> => {
  const wanted = text.trim().toLowerCase()
  if (wanted === '') return { data: [], total: 0 }
  const usable = await connectors.usable(organizationId)
  const shipped = usable.flatMap(connector => searchShipped(connector, wanted) ?? [])
  const servers = (
    await mcpConnectorStore.searchTools(db, organizationId, {
      text: wanted,
      isQualified: wanted.includes('__'),
      limit: MAX_TOOLS,
    })
  ).map(({ slug, names, tools, matched }) => ({ slug, names, tools: tools.map(showTool), matched }))
  const data: FoundTools['data'] = []
  let room = MAX_TOOLS
  const found = [...shipped, ...servers]
  for (const { slug, names, tools } of found) {
    const shown = tools.slice(0, room)
    room -= shown.length
    if (shown.length > 0) data.push({ connector_slug: slug, tool_names: names, tools: shown })
  }
  return { data, total: found.reduce((total, { matched }) => total + matched, 0) }
}

const searchShipped = (connector: UsableConnector, text: string) => {
  if (connector.mcp) return null
  const { slug } = connector
  const { tools } = describeCatalogTools(connector)
  const matching = tools.filter(({ name, title }) =>
    (text.includes('__') ? `${slug}__${name}` : `${name} ${title}`).toLowerCase().includes(text),
  )
  if (matching.length === 0) return null
  return { slug, names: tools.map(({ name }) => name), tools: matching, matched: matching.length }
}
