import type { Code } from '../../ui/data/snippet.tsx'

export const createUserSnippet = (baseUrl: string): [Code, Code] => [
  {
    language: 'curl',
    text: `curl ${baseUrl}/api/v1/registered-users \\
  -H "Authorization: Bearer $CARABINER_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"origin_user_id": "user-1", "origin_user_name": "Ana Ruiz"}'`,
  },
  {
    language: 'TypeScript',
    text: `import { createClient } from '@carabiner/sdk'

const carabiner = createClient({
  apiKey: process.env.CARABINER_API_KEY,
  baseUrl: '${baseUrl}',
})
await carabiner.registeredUsers.upsert({
  origin_user_id: 'user-1',
  origin_user_name: 'Ana Ruiz',
})`,
  },
]
