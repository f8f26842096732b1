import { type ConnectorTool, isDestructive } from '@carabiner/contract'
import type { ToolFacts } from './conditions/policy.ts'

/** `name`: with the connector. */
export const toolFacts = (
  connector: string,
  name: string,
  { read_only, effects = [] }: Pick<ConnectorTool, 'read_only' | 'effects'>,
): ToolFacts => ({ name, connector, read_only, destructive: isDestructive(effects), effects })

/** Nobody vouches for the hints of an MCP server, so each of its tools counts as destructive. */
export const unknownTool = (connector: string, name: string): ToolFacts => ({
  name,
  connector,
  read_only: false,
  destructive: true,
  effects: [],
})
