import { isObject } from '../../../core/json.ts'
import { decodeHeaderValue } from '../../upstream/mcp-client/parameter-headers.ts'
import { HANDSHAKE_REVISIONS, META, STATELESS_REVISION } from '../../upstream/mcp-client/revision.ts'
import { metaOf, RPC, type RpcError, type RpcRequest } from './json-rpc.ts'

/** Newest first. */
export const PROTOCOL_VERSIONS = [STATELESS_REVISION, ...HANDSHAKE_REVISIONS]
/** The revision of a request without the header, which the next revision introduced. */
const REVISION_WITHOUT_HEADER = '2025-03-26'
/** The only revision with batches. */
const REVISION_WITH_BATCHES = '2025-03-26'

/** The revision of a request and the capabilities of its client. */
export type Envelope = {
  revision: string
  /** 2026-07-28: requests are stateless, and closing the connection cancels one. */
  stateless: boolean
  /** The client can open a URL for its user on request. */
  opensUrls: boolean
}

/** The result of a handshake. */
export type Negotiated = Pick<Envelope, 'revision' | 'opensUrls'>

export type Headers = Record<string, string | string[] | undefined>

/** An error of the HTTP request; its messages were not processed. */
export type Rejection = { status: 400; error: RpcError }

const reject = (code: number, message: string, data?: unknown): Rejection => ({
  status: 400,
  error: { code, message, ...(data !== undefined && { data }) },
})

const unsupported = (requested: string): Rejection =>
  reject(RPC.unsupportedRevision, 'This revision of the protocol is not supported here.', {
    supported: PROTOCOL_VERSIONS,
    requested,
  })

const headerOf = (headers: Headers, name: string): string | undefined => {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

const VERSION = 'mcp-protocol-version'

/** From the session, or from the request itself without one. */
export const readEnvelope = (
  headers: Headers,
  request: RpcRequest,
  session: Negotiated | null,
): Envelope | Rejection => {
  const header = headerOf(headers, VERSION)
  const meta = metaOf(request)
  const inBody = meta[`${META}protocolVersion`]
  if (inBody !== undefined || header === STATELESS_REVISION) return readStateless(headers, request, meta)
  if (header !== undefined && !PROTOCOL_VERSIONS.includes(header)) return unsupported(header)
  return {
    revision: header ?? session?.revision ?? REVISION_WITHOUT_HEADER,
    stateless: false,
    opensUrls: session?.opensUrls ?? false,
  }
}

/** 2026-07-28, "Request metadata": headers and body must agree. */
const readStateless = (
  headers: Headers,
  { method, params = {} }: RpcRequest,
  meta: Record<string, unknown>,
): Envelope | Rejection => {
  const version = meta[`${META}protocolVersion`]
  const capabilities = meta[`${META}clientCapabilities`]
  if (typeof version !== 'string') return missing('protocolVersion')
  const header = headerOf(headers, VERSION)
  if (header !== version) return mismatch('MCP-Protocol-Version', header, version)
  if (version !== STATELESS_REVISION) return unsupported(version)
  if (!isObject(capabilities)) return missing('clientCapabilities')
  const named = headerOf(headers, 'mcp-method')
  if (named !== method) return mismatch('Mcp-Method', named, method)
  if (method === 'tools/call') {
    const raw = headerOf(headers, 'mcp-name')
    const name = raw === undefined ? undefined : decodeHeaderValue(raw)
    if (name === undefined || name !== params.name)
      return mismatch('Mcp-Name', raw, typeof params.name === 'string' ? params.name : '')
  }
  return { revision: version, stateless: true, opensUrls: opensUrls(capabilities) }
}

const missing = (field: string): Rejection =>
  reject(RPC.invalidParams, `Every request carries ${META}${field} in its _meta.`)

const mismatch = (name: string, given: string | undefined, wanted: string): Rejection =>
  reject(
    RPC.headerMismatch,
    given === undefined
      ? `The header ${name} is missing; the body says "${wanted.slice(0, 200)}".`
      : `The header ${name} says "${given.slice(0, 200)}", the body "${wanted.slice(0, 200)}".`,
  )

export const opensUrls = (capabilities: unknown): boolean =>
  isObject(capabilities) && isObject(capabilities.elicitation) && isObject(capabilities.elicitation.url)

/** 2025-06-18 removed batches. */
export const takesBatches = (headers: Headers): boolean =>
  (headerOf(headers, VERSION) ?? REVISION_WITHOUT_HEADER) === REVISION_WITH_BATCHES
