import type { ConnectorFile } from '@carabiner/contract'
import {
  RAW_REQUEST,
  type RequestRules,
  rawRequestAddress,
  rawRequestSchema,
} from '../../upstream/http/raw-request.ts'
import { toolName } from '../admission/tool-names.ts'
import type { ListedTool } from './listed-tool.ts'

/** Listed only in a Tool Pack that allows raw requests to this connector. Null if the connector has none. */
export const rawRequestTool = (connector: ConnectorFile, rules: RequestRules): ListedTool | null => {
  const address = rawRequestAddress(connector)
  if (address === null) return null
  const isReadOnly = rules.methods.every(method => method === 'GET')
  const title = `Send a request to ${connector.name}`
  return {
    name: toolName(connector.slug, RAW_REQUEST),
    title,
    description: `Sends a request to the API of ${connector.name} with the user's account, for what no other tool does. The path is relative to ${address}. Documentation of the API: ${connector.documentation_url}. Returns the response.`,
    inputSchema: rawRequestSchema(rules),
    annotations: { title, readOnlyHint: isReadOnly, ...(!isReadOnly && { destructiveHint: true }) },
  }
}
