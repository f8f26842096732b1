import type { ConnectorFile, ConnectorTool } from '@carabiner/contract'
import { Ajv, type ValidateFunction } from 'ajv'
import { type ToolChoice, withFixed } from '../connectors/tool-choice.ts'
import type { ToolArguments } from '../upstream/http-tool.ts'
import type { JsonObject } from '../upstream/mcp-json.ts'
import { compileArgumentCheck } from '../upstream/mcp-schema.ts'
import type { McpTool } from '../upstream/mcp-tools.ts'
import { publishedInputSchema } from '../upstream/pagination.ts'
import type { McpServerRow } from './admission-store.ts'

const ajv = new Ajv({ strict: false, allErrors: false })

/** What a call is about, once it is admitted. */
export type CallableTool = { connector: ConnectorFile; name: string } & (
  | { kind: 'http'; tool: ConnectorTool; choice: ToolChoice }
  | { kind: 'mcp'; tool: McpTool; server: McpServerRow; choice: ToolChoice }
  /** Only says how to link its connector. */
  | { kind: 'authenticate' }
)

export type ToolInput = {
  key: string
  schema: JsonObject
  choice: ToolChoice
  compile: () => ValidateFunction
}

/** What it takes as arguments, how the pack offers that, and a name for the compiled check of exactly that schema. */
export const inputOf = (callable: CallableTool): ToolInput | null => {
  switch (callable.kind) {
    case 'http': {
      const schema = publishedInputSchema(callable.tool)
      return { key: callable.name, schema, choice: callable.choice, compile: () => ajv.compile(schema) }
    }
    case 'mcp': {
      const { server, name, tool, choice } = callable
      return {
        key: `${server.id}:${server.tools_hash}:${name}`,
        schema: tool.inputSchema,
        choice,
        compile: () => compileArgumentCheck(tool.inputSchema),
      }
    }
    case 'authenticate':
      return null
  }
}

/** What the rules let through of the model's arguments, and what the pack gives. */
export const argumentsToSend = (callable: CallableTool, given: ToolArguments): ToolArguments =>
  callable.kind === 'authenticate' ? given : withFixed(callable.choice, given)
