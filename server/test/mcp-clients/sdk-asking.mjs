// The SDK of the handshake era in an application whose user can open links.
import { send, serve } from './serve.mjs'

const { MCP_ADDRESS: address, MCP_KEY: key } = process.env
const onChange = (error, tools) => send({ event: 'changed', error: error?.message, count: tools?.length })
const headers = { authorization: `Bearer ${key}` }

// snippet
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { UrlElicitationRequiredError } from '@modelcontextprotocol/sdk/types.js'

const client = new Client(
  { name: 'my-agent', version: '1.0.0' },
  { capabilities: { elicitation: { url: {} } }, listChanged: { tools: { onChanged: onChange } } },
)
await client.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers } }))

const callTool = async (name, args, { openUrl, ...options }) => {
  try {
    return await client.callTool({ name, arguments: args }, undefined, options)
  } catch (error) {
    if (!(error instanceof UrlElicitationRequiredError)) throw error
    await openUrl(error.elicitations[0])
    return client.callTool({ name, arguments: args }, undefined, options)
  }
}
// end

let opened
const openUrl = ({ url, message, elicitationId }) => {
  send({ event: 'open', url, message, elicitationId })
  return new Promise(resolve => (opened = resolve))
}
const onprogress = progress => send({ event: 'progress', ...progress })

await serve({
  revision: () => client.transport.protocolVersion,
  call: ({ name, args, options }) =>
    callTool(name, args, { openUrl, resetTimeoutOnProgress: true, onprogress, ...options }),
  opened: () => opened(),
})
