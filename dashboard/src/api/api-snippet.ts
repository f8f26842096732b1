import type { Code } from '../ui/data/snippet.tsx'

/** A request to the API with curl, for a terminal in which the key is set. */
export const curlPost = (path: string, body: string): Code => curl('', path, body)

export const curlPatch = (path: string, body: string): Code => curl('-X PATCH ', path, body)

const curl = (method: string, path: string, body: string): Code => ({
  language: 'curl',
  text: `curl ${method}${window.location.origin}/api/v1${path} \\
  -H "Authorization: Bearer $CARABINER_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '${body}'`,
})

/** The command that adds the MCP URL of a user to Claude Code. */
export const addToClaudeCode = (packId = 'TOOL_PACK_ID', userId = 'USER_ID'): Code => ({
  language: 'Claude Code',
  text: `claude mcp add --transport http my-app \\
  ${window.location.origin}/api/v1/tool-packs/${packId}/registered-users/${userId}/mcp \\
  --header "Authorization: Bearer $CARABINER_API_KEY"`,
})

export const createUserSnippet = (): [Code, Code] => [
  curlPost('/registered-users', '{"origin_user_id": "user-1", "origin_user_name": "Ana Ruiz"}'),
  {
    language: 'TypeScript',
    text: `import { createClient } from '@carabiner/sdk'

const carabiner = createClient({
  apiKey: process.env.CARABINER_API_KEY,
  baseUrl: '${window.location.origin}',
})
await carabiner.registeredUsers.upsert({
  origin_user_id: 'user-1',
  origin_user_name: 'Ana Ruiz',
})`,
  },
]
