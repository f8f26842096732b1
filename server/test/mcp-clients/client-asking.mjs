// The SDK for 2026-07-28 in an application whose user can open links.
import { send, serve } from './serve.mjs'

const { MCP_ADDRESS: address, MCP_KEY: key } = process.env
const onChange = (error, tools) => send({ event: 'changed', error: error?.message, count: tools?.length })
/** An application opens the URL in a browser if the user agrees. */
const openUrl = async ({ url, message }) => send({ event: 'open', url, message })
const headers = { authorization: `Bearer ${key}` }

// snippet
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

const client = new Client(
  { name: 'my-agent', version: '1.0.0' },
  {
    versionNegotiation: { mode: 'auto' },
    capabilities: { elicitation: { url: {} } },
    listChanged: { tools: { onChanged: onChange } },
  },
)
client.setRequestHandler('elicitation/create', async ({ params }) => {
  await openUrl(params)
  return { action: 'accept' }
})
await client.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers } }))

const callTool = (name, args, options) => client.callTool({ name, arguments: args }, options)
// end

const onprogress = progress => send({ event: 'progress', ...progress })

await serve({
  revision: () => client.getNegotiatedProtocolVersion(),
  call: ({ name, args, options }) =>
    callTool(name, args, { resetTimeoutOnProgress: true, onprogress, ...options }),
})
