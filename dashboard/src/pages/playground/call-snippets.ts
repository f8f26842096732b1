import type { Code } from '../../ui/data/snippet.tsx'

type Call = { url: string; packId: string; userId: string; tool: string; args: Record<string, unknown> }

/** For a POSIX shell, within single quotes. */
/** A word of a shell command. */
export const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** The same call from elsewhere. The key is never part of a snippet. */
export const callSnippets = ({ url, tool, args }: Call): [Code, ...Code[]] => [
  {
    language: 'curl',
    text: `curl -s "${url}" \\
  -H "Authorization: Bearer $CARABINER_API_KEY" \\
  -H "Content-Type: application/json" -H "Accept: application/json, text/event-stream" \\
  -d ${quote(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: args } }))}`,
  },
  {
    language: 'TypeScript',
    text: `import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

const client = new Client({ name: 'my-agent', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
const headers = { authorization: \`Bearer \${process.env.CARABINER_API_KEY}\` }
const url = new URL('${url}')
await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
const result = await client.callTool({ name: '${tool}', arguments: ${JSON.stringify(args)} })`,
  },
  {
    language: 'mcp.json',
    text: JSON.stringify(
      { mcpServers: { carabiner: { type: 'http', url, headers: { Authorization: 'Bearer YOUR_MCP_KEY' } } } },
      null,
      2,
    ),
  },
  {
    language: 'CLI',
    text: `npx @modelcontextprotocol/inspector --cli "${url}" --transport http \\
  --header "Authorization: Bearer $CARABINER_API_KEY" \\
  --method tools/call --tool-name ${tool} --tool-args-json ${quote(JSON.stringify(args))}`,
  },
]
