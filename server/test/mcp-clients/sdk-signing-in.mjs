import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { serve } from './serve.mjs'
import { createConnection, createProvider } from './signing-in.mjs'

const { MCP_ADDRESS: address, REDIRECT_URI: redirectUri } = process.env
const authProvider = createProvider(redirectUri)

await serve(
  createConnection(
    () => new Client({ name: 'my-agent', version: '1.0.0' }),
    () => new StreamableHTTPClientTransport(new URL(address), { authProvider }),
    (transport, parameters) => transport.finishAuth(parameters.get('code')),
  ),
)
