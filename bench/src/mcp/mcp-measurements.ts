import type { Figures } from '../figures.ts'
import { type Ask, type Load, putLoad } from '../load.ts'
import { HTTP_SLUG, MCP_SLUG } from './gateway.ts'
import { statelessRequest } from './mcp-request.ts'
import { type McpStage, type Peer, SHARED_AUTHORIZATION } from './mcp-stage.ts'

export type McpSubject = 'direct' | Peer | 'gateway' | 'gateway, HTTP tool'
export type McpMeasurement = { subject: McpSubject; connections: number; measure(): Promise<Figures> }

type Setting = { stage: McpStage; seconds: number; connections: number }
type Way = Pick<Load, 'origin' | 'headers' | 'asks'> & Pick<Partial<Load>, 'manner'>

const ARGUMENTS = { text: 'hello from the bench' }

const callWith = (name: string, authorization: string) =>
  statelessRequest('tools/call', { name, arguments: ARGUMENTS }, authorization)

/** As the older revisions have it. */
const call = (name: string): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: ARGUMENTS } })

const at = (address: string, body: string): Pick<Load, 'origin' | 'asks'> => {
  const { origin, pathname } = new URL(address)
  return { origin, asks: [[pathname, body]] }
}

const straight = (address: string): Way => {
  const { headers, body } = callWith('echo', SHARED_AUTHORIZATION)
  return { headers, ...at(address, body) }
}

/** These are quicker with a session than with the revision that has none. */
const withSession = (address: string): Way => ({
  headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
  manner: 'session',
  ...at(address, call('echo')),
})

/** Its endpoint speaks the oldest transport alone, and names tools after their server. */
const throughHub = (address: string): Way => ({
  headers: { 'content-type': 'application/json' },
  manner: 'stream',
  ...at(address, call('bench__echo')),
})

const throughGateway = ({ gateway: { service, key, paths } }: McpStage, tool: string): Way => {
  const { headers, body } = callWith(tool, `Bearer ${key}`)
  return { origin: service.origin, headers, asks: paths.map((path): Ask => [path, body]) }
}

const peerOf = ({ peers }: McpStage, name: Peer): string => {
  const address = peers[name]
  if (address === undefined) throw new Error(`${name} was not started`)
  return address
}

const wayTo = (stage: McpStage, subject: McpSubject): Way => {
  switch (subject) {
    case 'direct':
      return straight(`${stage.upstream}/mcp`)
    case 'pass-through':
      return straight(peerOf(stage, subject))
    case 'mcp-proxy':
    case 'SDK proxy':
      return withSession(peerOf(stage, subject))
    case 'mcp-hub':
      return throughHub(peerOf(stage, subject))
    case 'gateway':
      return throughGateway(stage, `${MCP_SLUG}__echo`)
    case 'gateway, HTTP tool':
      return throughGateway(stage, `${HTTP_SLUG}__echo`)
  }
}

const measureAt = (subject: McpSubject, { stage, seconds, connections }: Setting): McpMeasurement => ({
  subject,
  connections,
  measure: () =>
    putLoad({
      ...wayTo(stage, subject),
      expectedStatus: 200,
      asksAreReusable: true,
      answerHolds: 'hello',
      folder: stage.folder,
      connections,
      seconds,
    }),
})

const SUBJECTS: McpSubject[] = [
  'gateway',
  'pass-through',
  'direct',
  'gateway, HTTP tool',
  'mcp-proxy',
  'SDK proxy',
  'mcp-hub',
]

/** In the order in which a round takes them: the gateway beside what it is compared with most closely. */
export const listMcpMeasurements = (
  stage: McpStage,
  { seconds, connections }: { seconds: number; connections: number },
): McpMeasurement[] =>
  [connections, 1].flatMap(many =>
    SUBJECTS.map(subject =>
      measureAt(subject, {
        stage,
        seconds,
        connections: many,
      }),
    ),
  )
