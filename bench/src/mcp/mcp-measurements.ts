import type { Figures } from '../figures.ts'
import { type Load, type LoadRequest, runLoad } from '../load.ts'
import { type Gateway, HTTP_SLUG, MCP_SLUG } from './gateway.ts'
import { statelessRequest } from './mcp-request.ts'
import { type McpStage, type Peer, type ServedGateway, SHARED_AUTHORIZATION } from './mcp-stage.ts'
import { type Cost, withCost } from './resource-use.ts'

export type McpSubject = 'direct' | Peer | 'gateway' | 'gateway, RAM disk' | 'gateway, HTTP tool'
/** `cost`: of the gateway only. */
export type McpFigures = Figures & { cost?: Cost }
export type McpMeasurement = { subject: McpSubject; connections: number; measure(): Promise<McpFigures> }

type MeasurementContext = { stage: McpStage; seconds: number; connections: number }
type Route = Pick<Load, 'origin' | 'headers' | 'requests'> & Pick<Partial<Load>, 'transport'>

const ARGUMENTS = { text: 'hello from the bench' }

const callWith = (name: string, authorization: string) =>
  statelessRequest('tools/call', { name, arguments: ARGUMENTS }, authorization)

/** A request of the MCP revisions with sessions. */
const call = (name: string): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: ARGUMENTS } })

const at = (address: string, body: string): Pick<Load, 'origin' | 'requests'> => {
  const { origin, pathname } = new URL(address)
  return { origin, requests: [[pathname, body]] }
}

const statelessRoute = (address: string): Route => {
  const { headers, body } = callWith('echo', SHARED_AUTHORIZATION)
  return { headers, ...at(address, body) }
}

/** For proxies that are faster with sessions than with the stateless revision. */
const sessionRoute = (address: string): Route => ({
  headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
  transport: 'session',
  ...at(address, call('echo')),
})

/** mcp-hub supports only the oldest transport, and prefixes tool names with their server. */
const hubRoute = (address: string): Route => ({
  headers: { 'content-type': 'application/json' },
  transport: 'stream',
  ...at(address, call('bench__echo')),
})

/** The gateway that a subject is served by; null for the others. */
const servedBy = ({ gateway, ramGateway }: McpStage, subject: McpSubject): ServedGateway | null =>
  subject === 'gateway, RAM disk' ? ramGateway : subject.startsWith('gateway') ? gateway : null

const gatewayRoute = ({ service, key, paths }: Gateway, tool: string): Route => {
  const { headers, body } = callWith(tool, `Bearer ${key}`)
  return { origin: service.origin, headers, requests: paths.map((path): LoadRequest => [path, body]) }
}

const peerOf = ({ peers }: McpStage, name: Peer): string => {
  const address = peers[name]
  if (address === undefined) throw new Error(`${name} was not started`)
  return address
}

const routeTo = (stage: McpStage, subject: McpSubject): Route => {
  switch (subject) {
    case 'direct':
      return statelessRoute(`${stage.upstream}/mcp`)
    case 'pass-through':
      return statelessRoute(peerOf(stage, subject))
    case 'mcp-proxy':
    case 'SDK proxy':
      return sessionRoute(peerOf(stage, subject))
    case 'mcp-hub':
      return hubRoute(peerOf(stage, subject))
    case 'gateway':
    case 'gateway, RAM disk':
      return gatewayRoute(servedBy(stage, subject) ?? stage.gateway, `${MCP_SLUG}__echo`)
    case 'gateway, HTTP tool':
      return gatewayRoute(stage.gateway, `${HTTP_SLUG}__echo`)
  }
}

const measureAt = (
  subject: McpSubject,
  { stage, seconds, connections }: MeasurementContext,
): McpMeasurement => ({
  subject,
  connections,
  measure: () => {
    const run = () =>
      runLoad({
        ...routeTo(stage, subject),
        expectedStatus: 200,
        requestsAreReusable: true,
        expectedText: 'hello',
        folder: stage.folder,
        connections,
        seconds,
      })
    const served = servedBy(stage, subject)
    return served ? withCost({ db: served.db, servicePid: served.service.pid }, run) : run()
  },
})

const SUBJECTS: McpSubject[] = [
  'gateway',
  'pass-through',
  'direct',
  'gateway, RAM disk',
  'gateway, HTTP tool',
  'mcp-proxy',
  'SDK proxy',
  'mcp-hub',
]

/** In the order of execution: the gateway is next to the subjects that it is mainly compared with. */
export const listMcpMeasurements = (
  stage: McpStage,
  { seconds, connections }: { seconds: number; connections: number },
): McpMeasurement[] =>
  [connections, 1].flatMap(many =>
    SUBJECTS.filter(subject => subject !== 'gateway, RAM disk' || stage.ramGateway).map(subject =>
      measureAt(subject, {
        stage,
        seconds,
        connections: many,
      }),
    ),
  )
