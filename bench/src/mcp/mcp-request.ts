const REVISION = '2026-07-28'
const META = 'io.modelcontextprotocol/'

export type McpRequest = { headers: Record<string, string>; body: string }

/** A request of the stateless MCP revision: headers repeat parts of the body, and the body contains metadata. */
export const statelessRequest = (
  method: string,
  params: Record<string, unknown>,
  authorization: string,
): McpRequest => ({
  headers: {
    authorization,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'mcp-protocol-version': REVISION,
    'mcp-method': method,
    ...(typeof params.name === 'string' && { 'mcp-name': params.name }),
  },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method,
    params: {
      ...params,
      _meta: { [`${META}protocolVersion`]: REVISION, [`${META}clientCapabilities`]: {} },
    },
  }),
})
