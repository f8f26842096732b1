import type { ConnectorFile, ConnectorTool } from '@carabiner/contract'
import type { Connectors } from '../../connectors/availability.ts'
import { asConnector } from '../../connectors/mcp-servers/mcp-connector.ts'
import { RAW_REQUEST, rawRequestAddress } from '../../upstream/http/raw-request.ts'
import type { CallAdmission, McpCallAdmission } from './admission-rows.ts'
import type { CallableTool } from './callable-tool.ts'
import type { ToolAddress } from './tool-names.ts'

/** The tool that a name refers to, as far as the catalog describes it. The database decides about the rest. */
export type AddressedTool =
  /** `tool`: null if the connector has no such tool. `isRequest`: a raw request. */
  | {
      kind: 'http'
      connector: ConnectorFile
      tool: ConnectorTool | null
      isRequest: boolean
      usableByAll: boolean
    }
  /** `requestsLink`: the tool that only returns a link. `shipped`: the server as the catalog describes it. */
  | {
      kind: 'server'
      slug: string
      requestsLink: boolean
      shipped: ConnectorFile | null
      inCatalog: boolean
    }

export const addressTool = (connectors: Connectors, { slug, tool: name }: ToolAddress): AddressedTool => {
  const connector = connectors.findShipped(slug)
  if (connector) {
    const tool = connector.tools.find(candidate => candidate.name === name) ?? null
    const isRequest = name === RAW_REQUEST && rawRequestAddress(connector) !== null
    return { kind: 'http', connector, tool, isRequest, usableByAll: connectors.findForAll(slug) !== null }
  }
  const shipped = connectors.catalog.find(slug)
  const inCatalog = shipped?.mcp !== undefined
  return { kind: 'server', slug, requestsLink: name === null, shipped, inCatalog }
}

/** The name of the tool in the records of its calls. */
export const recordedName = ({ tool }: ToolAddress): string => tool ?? 'authenticate'

/** The tool of an admitted call. `server` and `toolDefinition` are read for the tools of MCP servers. */
export const callableTool = (
  name: string,
  addressed: AddressedTool,
  {
    toolChoice,
    server = null,
    toolDefinition = null,
  }: Pick<CallAdmission, 'toolChoice'> & Partial<Pick<McpCallAdmission, 'server' | 'toolDefinition'>>,
): CallableTool | null => {
  const choice = toolChoice ?? {}
  if (addressed.kind === 'http') {
    const { connector, tool, isRequest } = addressed
    if (isRequest) return choice.request ? { kind: 'request', name, connector, rules: choice.request } : null
    return tool && { kind: 'http', name, connector, tool, choice }
  }
  const { slug, requestsLink, shipped } = addressed
  const connector = server ? asConnector({ slug, ...server }) : requestsLink ? shipped : null
  if (!connector) return null
  if (!toolDefinition) return { kind: 'authenticate', name, connector }
  return server && { kind: 'mcp', name, connector, server, tool: toolDefinition, choice }
}
