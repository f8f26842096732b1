import { isObject, type JsonObject } from '../json.ts'
import { cleanLine, cleanText } from '../text.ts'
import { ask, type Connection, connectionHeaders, type Obstacle, obstacle, refused } from './connection.ts'
import { exchange, notify, type Reply, type Wire } from './exchange.ts'
import {
  CLIENT_INFO,
  HANDSHAKE_REVISIONS,
  RPC_CODES,
  SERVER_INFO_META,
  STATELESS_REVISION,
} from './revision.ts'

export type ServerInfo = { name: string; title?: string; version: string }
export type Introduction = { server: ServerInfo; instructions?: string }
export type Opened = { kind: 'open'; connection: Connection; introduction: Introduction } | Obstacle

const LONGEST_INSTRUCTIONS = 4000

/**
 * 2026-07-28, "Backward compatibility": a modern request first; anything but a modern answer means a server that wants the
 * handshake. A revision that worked before is tried first, and the other era when it no longer does.
 */
export const openConnection = async (wire: Wire, known: string | null): Promise<Opened> => {
  if (known === null || !HANDSHAKE_REVISIONS.includes(known)) return discover(wire)
  const opened = await handshake(wire)
  const mayBeModern = opened.kind === 'refused' && ['failing', 'not_mcp'].includes(opened.reason)
  return mayBeModern ? discover(wire, opened) : opened
}

const STATELESS = { revision: STATELESS_REVISION, sessionId: null }

/** `otherwise`: what the handshake already said, where it was tried first. */
const discover = async (wire: Wire, otherwise?: Opened): Promise<Opened> => {
  const probe = () => ask(wire, STATELESS, 'server/discover', {})
  let reply = await probe()
  // It refuses our revision and names it: one of several machines is newer than another. Asked once more, it may be the newer.
  if (judgeEra(reply) === 'contradictory') reply = await probe()
  const era = judgeEra(reply)
  if (era === 'handshake') return otherwise ?? handshake(wire)
  if (reply.kind === 'result' && era === 'stateless')
    return { kind: 'open', connection: STATELESS, introduction: introduce(reply.result) }
  if (reply.kind === 'result' || era !== 'unclear')
    return refused('unsupported_revision', 'The server speaks a revision of MCP that is not known here.')
  return obstacle(reply)
}

export type Era = 'stateless' | 'handshake' | 'neither' | 'contradictory' | 'unclear'

/** Reads the answer to `server/discover`. `unclear`: the server said nothing of its era, only that it will not answer. */
export const judgeEra = (reply: Reply): Era => {
  if (reply.kind === 'result') return judgeVersions(reply.result.supportedVersions)
  if (reply.status === 401 || reply.status === 403 || (reply.status >= 300 && reply.status < 400))
    return 'unclear'
  if (reply.kind === 'error' && reply.error.code === RPC_CODES.unsupportedRevision) {
    const { data } = reply.error
    const era = judgeVersions(isObject(data) ? data.supported : undefined)
    return era === 'stateless' ? 'contradictory' : era
  }
  return 'handshake'
}

const judgeVersions = (versions: unknown): Era => {
  if (!Array.isArray(versions) || versions.length === 0) return 'handshake'
  if (versions.includes(STATELESS_REVISION)) return 'stateless'
  return versions.some(version => HANDSHAKE_REVISIONS.includes(String(version))) ? 'handshake' : 'neither'
}

const handshake = async (wire: Wire): Promise<Opened> => {
  const reply = await exchange(wire, {
    method: 'initialize',
    params: { protocolVersion: HANDSHAKE_REVISIONS[0], capabilities: {}, clientInfo: CLIENT_INFO },
    headers: {},
    stateless: false,
  })
  if (reply.kind !== 'result') return obstacle(reply)
  const { protocolVersion } = reply.result
  if (typeof protocolVersion !== 'string' || !HANDSHAKE_REVISIONS.includes(protocolVersion))
    return refused(
      'unsupported_revision',
      `The server wants revision ${cleanLine(String(protocolVersion), 40)} of MCP, which is not spoken here.`,
    )
  const sessionId = reply.headers['mcp-session-id'] ?? null
  // "Session management": visible ASCII. Anything else would be a header of the server's making in our requests.
  if (sessionId !== null && !/^[\x21-\x7E]{1,1024}$/.test(sessionId))
    return refused('not_mcp', 'The server opened a session with a name that no request can carry.')
  const connection = { revision: protocolVersion, sessionId }
  await notify(wire, 'notifications/initialized', connectionHeaders(connection))
  return { kind: 'open', connection, introduction: introduce(reply.result) }
}

const introduce = (result: JsonObject): Introduction => {
  const { serverInfo, _meta: meta } = result
  const info = [serverInfo, isObject(meta) ? meta[SERVER_INFO_META] : undefined].find(isObject) ?? {}
  const word = (value: unknown, longest: number) =>
    typeof value === 'string' ? cleanLine(value, longest) : ''
  const title = word(info.title, 100)
  const instructions =
    typeof result.instructions === 'string' ? cleanText(result.instructions, LONGEST_INSTRUCTIONS) : ''
  return {
    server: {
      name: word(info.name, 100) || 'unnamed',
      ...(title && { title }),
      version: word(info.version, 40),
    },
    ...(instructions && { instructions }),
  }
}
