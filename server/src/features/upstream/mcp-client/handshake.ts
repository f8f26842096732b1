import { isObject, type JsonObject } from '../../../core/json/object.ts'
import { cleanLine, cleanText } from '../text.ts'
import {
  CLIENT_INFO,
  HANDSHAKE_REVISIONS,
  RPC_CODES,
  SERVER_INFO_META,
  STATELESS_REVISION,
} from './client-revisions.ts'
import {
  type Connection,
  connectionHeaders,
  type Obstacle,
  obstacle,
  refused,
  request,
} from './connection.ts'
import { exchange, notify, type Reply, type Wire } from './exchange.ts'

export type ServerInfo = { name: string; title?: string; version: string }
export type Introduction = { server: ServerInfo; instructions?: string }
export type Opened = { kind: 'open'; connection: Connection; introduction: Introduction } | Obstacle

const MAX_INSTRUCTIONS_LENGTH = 4000

/**
 * 2026-07-28, "Backward compatibility": a stateless request comes first, and any other response means that the server
 * needs the handshake. A known revision is tried first, and the other era if it no longer works.
 */
export const openConnection = async (wire: Wire, known: string | null): Promise<Opened> => {
  if (known === null || !HANDSHAKE_REVISIONS.includes(known)) return discover(wire)
  const opened = await handshake(wire)
  const mayBeModern = opened.kind === 'refused' && ['failing', 'not_mcp'].includes(opened.reason)
  return mayBeModern ? discover(wire, opened) : opened
}

const STATELESS = { revision: STATELESS_REVISION, sessionId: null }

/** `fallback`: the result of the handshake, if it was tried first. */
const discover = async (wire: Wire, fallback?: Opened): Promise<Opened> => {
  const probe = () => request(wire, STATELESS, 'server/discover', {})
  let reply = await probe()
  // The server rejects the revision that it lists as supported, so its instances differ in version. A retry may reach
  // a newer instance.
  if (detectEra(reply) === 'contradictory') reply = await probe()
  const era = detectEra(reply)
  if (era === 'handshake') return fallback ?? handshake(wire)
  if (reply.kind === 'result' && era === 'stateless')
    return { kind: 'open', connection: STATELESS, introduction: readIntroduction(reply.result) }
  if (reply.kind === 'result' || era !== 'unclear')
    return refused('unsupported_revision', 'The server requires an unsupported revision of MCP.')
  return obstacle(reply)
}

export type Era = 'stateless' | 'handshake' | 'neither' | 'contradictory' | 'unclear'

/** Derives the era from the response to `server/discover`. `unclear`: the response does not depend on the era. */
export const detectEra = (reply: Reply): Era => {
  if (reply.kind === 'result') return eraOfVersions(reply.result.supportedVersions)
  if (reply.status === 401 || reply.status === 403 || (reply.status >= 300 && reply.status < 400))
    return 'unclear'
  if (reply.kind === 'error' && reply.error.code === RPC_CODES.unsupportedRevision) {
    const { data } = reply.error
    const era = eraOfVersions(isObject(data) ? data.supported : undefined)
    return era === 'stateless' ? 'contradictory' : era
  }
  return 'handshake'
}

const eraOfVersions = (versions: unknown): Era => {
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
      `The server requires revision ${cleanLine(String(protocolVersion), 40)} of MCP, which is not supported.`,
    )
  const sessionId = reply.headers['mcp-session-id'] ?? null
  // "Session management": visible ASCII only, because the ID is sent as a header.
  if (sessionId !== null && !/^[\x21-\x7E]{1,1024}$/.test(sessionId))
    return refused('not_mcp', 'The server returned an invalid session ID.')
  const connection = { revision: protocolVersion, sessionId }
  await notify(wire, 'notifications/initialized', connectionHeaders(connection))
  return { kind: 'open', connection, introduction: readIntroduction(reply.result) }
}

const readIntroduction = (result: JsonObject): Introduction => {
  const { serverInfo, _meta: meta } = result
  const info = [serverInfo, isObject(meta) ? meta[SERVER_INFO_META] : undefined].find(isObject) ?? {}
  const clean = (value: unknown, maxLength: number) =>
    typeof value === 'string' ? cleanLine(value, maxLength) : ''
  const title = clean(info.title, 100)
  const instructions =
    typeof result.instructions === 'string' ? cleanText(result.instructions, MAX_INSTRUCTIONS_LENGTH) : ''
  return {
    server: {
      name: clean(info.name, 100) || 'unnamed',
      ...(title && { title }),
      version: clean(info.version, 40),
    },
    ...(instructions && { instructions }),
  }
}
