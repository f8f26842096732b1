import type { ConnectorFile } from '@carabiner/contract'
import type { Connectors } from '../connectors/availability.ts'
import type { McpTool } from '../upstream/mcp-tools.ts'
import { publishedInputSchema } from '../upstream/pagination.ts'
import type { ListingRow } from './admission-store.ts'
import { authenticateToolName, toolName } from './tool-names.ts'

export type ListedTool = {
  name: string
  title?: string
  description: string
  inputSchema: Record<string, unknown>
  annotations: Record<string, unknown>
}

export type ListOptions = { only: string[] | null; authenticatedOnly: boolean }

/** In a stable order. `outputSchema` is never advertised: a result may be redacted or be an `authenticate_meta`. */
export const listTools = (
  connectors: Connectors,
  caller: ListingRow,
  { only, authenticatedOnly }: ListOptions,
): ListedTool[] => {
  const servers = new Map(caller.mcp_connectors.map(server => [server.slug, server]))
  const offered = (slug: string): boolean =>
    (caller.pack_connectors === null || caller.pack_connectors.includes(slug)) &&
    (!only || only.includes(slug))
  const linked = (slug: string): boolean => caller.linked_connectors.includes(slug)

  const ofCatalogue = connectors.catalogue
    .all()
    .filter(({ slug }) => offered(slug) && !servers.has(slug))
    .filter(({ slug }) => !authenticatedOnly || linked(slug))
    .filter(({ slug, mcp }) => mcp || connectors.findForAll(slug) || caller.own_apps.includes(slug))
    .flatMap(connector => (connector.mcp ? [askToLink(connector)] : httpTools(connector)))

  const ofServers = caller.mcp_connectors
    .filter(({ slug }) => offered(slug))
    .filter(({ slug, authentication }) => !authenticatedOnly || linked(slug) || isOpen(authentication))
    .flatMap(
      ({ slug, name, tools }) => tools?.map(tool => mcpTool(slug, tool)) ?? [askToLink({ slug, name })],
    )

  return [...ofCatalogue, ...ofServers]
}

const isOpen = (authentication: ListingRow['mcp_connectors'][number]['authentication']): boolean =>
  authentication === 'none' || authentication === 'organization_secret'

const httpTools = (connector: ConnectorFile): ListedTool[] =>
  connector.tools.map(tool => ({
    name: toolName(connector.slug, tool.name),
    title: tool.title,
    description: tool.description,
    inputSchema: publishedInputSchema(tool),
    annotations: {
      title: tool.title,
      readOnlyHint: tool.read_only,
      ...(!tool.read_only && { destructiveHint: tool.destructive === true }),
    },
  }))

const mcpTool = (
  slug: string,
  { name, title, description, inputSchema, annotations }: McpTool,
): ListedTool => ({
  name: toolName(slug, name),
  ...(title !== undefined && { title }),
  description,
  inputSchema,
  annotations: annotations ?? {},
})

/** Its tools are not known before somebody has linked it. */
const askToLink = ({ slug, name }: { slug: string; name: string }): ListedTool => ({
  name: authenticateToolName(slug),
  title: `Connect ${name}`,
  description: `${name} is not connected yet. Call this to get a link for the user; once the account is connected, the tools of ${name} are listed here.`,
  inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  annotations: { title: `Connect ${name}`, readOnlyHint: true },
})
