import type { ConnectorFile, ConnectorTool } from '@carabiner/contract'
import type { Connectors } from '../connectors/availability.ts'

/** `<connector>__<tool>`, at most 64 characters: what the strictest model API takes. */
export const toolName = (connector: ConnectorFile, tool: ConnectorTool): string =>
  `${connector.slug}__${tool.name}`

export type NamedTool = { connector: ConnectorFile; tool: ConnectorTool }

export const findTool = (connectors: Connectors, name: string): NamedTool | null => {
  const [slug = '', toolPart = ''] = name.split('__')
  const connector = connectors.usable().find(candidate => candidate.slug === slug)
  const tool = connector?.tools.find(candidate => candidate.name === toolPart)
  return connector && tool ? { connector, tool } : null
}
