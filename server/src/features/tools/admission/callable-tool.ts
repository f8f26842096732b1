import { hash } from 'node:crypto'
import type { ConnectorFile, ConnectorTool } from '@carabiner/contract'
import type { JsonObject } from '../../../core/json/object.ts'
import { type ToolChoice, withFixed } from '../../connectors/catalog/tool-choice.ts'
import type { ToolArguments } from '../../upstream/http/http-tool.ts'
import { publishedInputSchema } from '../../upstream/http/pagination.ts'
import { type RequestRules, rawRequestSchema } from '../../upstream/http/raw-request.ts'
import type { McpTool } from '../../upstream/mcp-client/tool-definitions.ts'
import type { AdmittedServer } from './admission-rows.ts'

/** The tool of an admitted call. */
export type CallableTool = { connector: ConnectorFile; name: string } & (
  | { kind: 'http'; tool: ConnectorTool; choice: ToolChoice }
  | { kind: 'mcp'; tool: McpTool; server: AdmittedServer; choice: ToolChoice }
  /** A raw request to the connector's API. `byCode`: its caller gets the response as it is, whatever its status and size. */
  | { kind: 'request'; rules: RequestRules; byCode?: true }
  /** Returns only the link for its connector. */
  | { kind: 'authenticate' }
)

export type ToolInput = {
  key: string
  schema: JsonObject
  choice: ToolChoice
  /** From a connector file, not from an MCP server. */
  trusted: boolean
}

/** The tool's input schema, the pack's settings for it, and a key that identifies the schema. */
export const inputOf = (callable: CallableTool): ToolInput | null => {
  switch (callable.kind) {
    case 'http': {
      const schema = publishedInputSchema(callable.tool)
      return { key: callable.name, schema, choice: callable.choice, trusted: true }
    }
    case 'mcp': {
      const { server, name, tool, choice } = callable
      return {
        key: `${server.id}:${server.toolsHash}:${name}`,
        schema: tool.inputSchema,
        choice,
        trusted: false,
      }
    }
    case 'request': {
      const { name, rules, byCode } = callable
      const key = `${name}:${hash('sha256', JSON.stringify([rules, byCode]), 'base64url')}`
      return { key, schema: rawRequestSchema(rules, { byCode }), choice: {}, trusted: true }
    }
    case 'authenticate':
      return null
  }
}

/** The model's arguments after the security rules, together with the values that the pack fixes. */
export const argumentsToSend = (callable: CallableTool, given: ToolArguments): ToolArguments =>
  'choice' in callable ? withFixed(callable.choice, given) : given
