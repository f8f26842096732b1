import type { Code } from '../../ui/data/snippet.tsx'

type Endpoint = { url: string; key: string }

export type McpClient = { name: string; note: string; code: (endpoint: Endpoint) => Code }

const json = (value: unknown): string => JSON.stringify(value, null, 2)
const bearer = (key: string): string => `Bearer ${key}`

export const CLAUDE_CODE: McpClient = {
  name: 'Claude Code',
  note: 'Run this in a terminal.',
  code: ({ url, key }) => ({
    language: 'shell',
    text: `claude mcp add --transport http carabiner "${url}" \\\n  --header "Authorization: ${bearer(key)}"`,
  }),
}

export const MCP_JSON: McpClient = {
  name: 'mcp.json',
  note: 'For most other clients.',
  code: ({ url, key }) => ({
    language: 'mcp.json',
    text: json({
      mcpServers: { carabiner: { type: 'http', url, headers: { Authorization: bearer(key) } } },
    }),
  }),
}

/** How common MCP clients are configured. */
export const MCP_CLIENTS: readonly [McpClient, ...McpClient[]] = [
  CLAUDE_CODE,
  {
    name: 'Claude Desktop',
    note: 'Settings → Developer → Edit config. Claude Desktop starts only local servers, so mcp-remote connects it.',
    code: ({ url, key }) => ({
      language: 'claude_desktop_config.json',
      text: json({
        mcpServers: {
          carabiner: {
            command: 'npx',
            args: ['mcp-remote', url, '--header', 'Authorization:${MCP_AUTHORIZATION}'],
            env: { MCP_AUTHORIZATION: bearer(key) },
          },
        },
      }),
    }),
  },
  {
    name: 'Cursor',
    note: 'In ~/.cursor/mcp.json, or .cursor/mcp.json in a project.',
    code: ({ url, key }) => ({
      language: 'mcp.json',
      text: json({ mcpServers: { carabiner: { url, headers: { Authorization: bearer(key) } } } }),
    }),
  },
  {
    name: 'VS Code',
    note: 'In .vscode/mcp.json. VS Code asks for the key once and stores it.',
    code: ({ url }) => ({
      language: '.vscode/mcp.json',
      text: json({
        inputs: [{ type: 'promptString', id: 'carabiner-key', description: 'MCP key', password: true }],
        servers: {
          carabiner: { type: 'http', url, headers: { Authorization: 'Bearer ${input:carabiner-key}' } },
        },
      }),
    }),
  },
  {
    name: 'ChatGPT',
    note: 'ChatGPT’s own connectors cannot send a key. OpenAI models use the pack through the Responses API. The URL must be public.',
    code: ({ url, key }) => ({
      language: 'shell',
      text: `curl https://api.openai.com/v1/responses \\
  -H "Authorization: Bearer $OPENAI_API_KEY" -H "Content-Type: application/json" \\
  -d '${JSON.stringify({
    model: 'gpt-5',
    input: 'What can you do for me?',
    tools: [
      {
        type: 'mcp',
        server_label: 'carabiner',
        server_url: url,
        authorization: key,
        require_approval: 'never',
      },
    ],
  })}'`,
    }),
  },
  MCP_JSON,
  {
    name: 'curl',
    note: 'Lists the tools.',
    code: ({ url, key }) => ({
      language: 'shell',
      text: `curl -s "${url}" -H "Authorization: ${bearer(key)}" \\
  -H "Content-Type: application/json" -H "Accept: application/json, text/event-stream" \\
  -d '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'`,
    }),
  },
]
