import { findAuthenticateMeta } from '@carabiner/sdk'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

export type McpAddress = { url: string; headers?: Record<string, string> }
export type Answer = { titles: string[] } | { connect: string; reason: string } | { tryAgain: string }

/** The application under test: answers with the user's notes, or with the link that connects them. */
export const answerWithNotes = async ({ url, headers = {} }: McpAddress, query: string): Promise<Answer> => {
  const client = new Client({ name: 'my-app', version: '1.0.0' })
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } })
  await client.connect(transport)
  try {
    const result = await client.callTool({ name: 'sandbox-notes__list_notes', arguments: { query } })
    const meta = findAuthenticateMeta(result)
    if (meta) return { connect: meta.magic_link_url ?? '', reason: meta.reason ?? '' }
    const [content] = result.content as { text: string }[]
    if (result.isError) return { tryAgain: content?.text ?? '' }
    const { notes } = JSON.parse(content?.text ?? '{}') as { notes: { title: string }[] }
    return { titles: notes.map(({ title }) => title) }
  } finally {
    await client.close()
  }
}
