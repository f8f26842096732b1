import type { ConnectorFile, ConnectorTool } from '@carabiner/contract'
import { Ajv, type ValidateFunction } from 'ajv'
import { compileArgumentCheck } from '../upstream/mcp-schema.ts'
import type { McpTool } from '../upstream/mcp-tools.ts'
import { publishedInputSchema } from '../upstream/pagination.ts'
import type { McpServerRow } from './admission-store.ts'

const ajv = new Ajv({ strict: false, allErrors: false })

/** What a call is about, once it is admitted. */
export type CallableTool = { connector: ConnectorFile; name: string } & (
  | { kind: 'http'; tool: ConnectorTool }
  | { kind: 'mcp'; tool: McpTool; server: McpServerRow }
  /** Only says how to link its connector. */
  | { kind: 'authenticate' }
)

/** What it takes as arguments, and a name for the compiled check of exactly that. */
export const inputOf = (callable: CallableTool): { key: string; compile: () => ValidateFunction } | null => {
  switch (callable.kind) {
    case 'http':
      return { key: callable.name, compile: () => ajv.compile(publishedInputSchema(callable.tool)) }
    case 'mcp': {
      const { server, name, tool } = callable
      return {
        key: `${server.id}:${server.tools_hash}:${name}`,
        compile: () => compileArgumentCheck(tool.inputSchema),
      }
    }
    case 'authenticate':
      return null
  }
}
