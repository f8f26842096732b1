import type { ConnectorFile, ConnectorTool } from '@carabiner/contract'
import { Secret } from '../../../src/core/secret.ts'
import { callHttpTool } from '../../../src/features/upstream/http/http-tool.ts'
import { callMcpTool } from '../../../src/features/upstream/mcp-client/call-mcp-tool.ts'
import { createMcpSessions } from '../../../src/features/upstream/mcp-client/sessions.ts'
import { allowLoopback, createEgress } from '../../../src/platform/egress/egress.ts'

/** Calls both kinds of tools at an upstream and prints the memory used: `node memory-probe.ts <small> <huge> <rounds>`. */
const [, , small = '', huge = '', rounds = '1'] = process.argv
const egress = createEgress({ [allowLoopback]: true })
const sessions = createMcpSessions()

const secret = { kind: 'api_key', tenant: {}, fields: { token: new Secret('tok_123456') } } as const
const connectorAt = (origin: string) =>
  ({
    slug: 'huge',
    name: 'Huge',
    authorization: [
      { type: 'api_key', fields: [{ name: 'token', secret: true }], headers: { 'x-key': '{token}' } },
    ],
    credential_origins: [origin],
  }) as unknown as ConnectorFile
const toolAt = (url: string) =>
  ({ name: 'read', request: { method: 'GET', url }, read_only: true }) as unknown as ConnectorTool

const callHttp = (origin: string, query: string) =>
  callHttpTool(
    { egress },
    { connector: connectorAt(origin), tool: toolAt(`${origin}/json${query}`), args: {}, secret },
  )
const callMcp = (origin: string, query: string) =>
  callMcpTool(
    { egress, sessions },
    {
      url: `${origin}/mcp${query}`,
      headers: {},
      name: 'Huge',
      revision: '2025-11-25',
      sessionKey: `${origin}${query}`,
    },
    { upstreamName: 'read', inputSchema: { type: 'object' } },
    {},
  )

const CALL_KINDS = {
  'an HTTP tool': (origin: string) => callHttp(origin, ''),
  'an HTTP tool, zipped': (origin: string) => callHttp(origin, '?gzip'),
  'an MCP server': (origin: string) => callMcp(origin, ''),
  'an MCP server, zipped': (origin: string) => callMcp(origin, '?gzip'),
  'an MCP server’s events': (origin: string) => callMcp(origin, '?events'),
  'an MCP server’s events, zipped': (origin: string) => callMcp(origin, '?events&gzip'),
}

/** Four concurrent calls, to detect memory use that adds up. */
const callConcurrently = async (
  origin: string,
  call: (origin: string) => Promise<{ kind: string }>,
): Promise<string[]> =>
  (await Promise.all(Array.from({ length: 4 }, () => call(origin)))).map(({ kind }) => kind)

const peak = (): number => process.resourceUsage().maxRSS / 1024
// Warm-up: the memory for the largest regular response is allocated before the measurement.
for (let round = 0; round < 10; round++)
  for (const [name, call] of Object.entries(CALL_KINDS))
    if ((await callConcurrently(small, call)).some(kind => kind !== 'result'))
      throw new Error(`${name} did not return a result`)
const before = peak()
const kinds: Record<string, string[]> = {}
const startedAt = performance.now()
for (const [name, call] of Object.entries(CALL_KINDS))
  for (let round = 0; round < Number(rounds); round++) kinds[name] = await callConcurrently(huge, call)
process.stdout.write(
  `${JSON.stringify({ kinds, grownMb: Math.round(peak() - before), ms: Math.round(performance.now() - startedAt) })}\n`,
)
await sessions.stop()
process.exit(0)
