import { isObject } from '../../../core/json/object.ts'
import { META } from '../../upstream/mcp-client/client-revisions.ts'
import { decodeHeaderValue } from '../../upstream/mcp-client/parameter-headers.ts'
import { metaOf, RPC, type RpcError, type RpcParams, type RpcRequest } from './json-rpc.ts'
import type { Revision } from './revision.ts'
import { findRevision, PROTOCOL_VERSIONS, REVISION_WITHOUT_HEADER } from './revisions.ts'

/** The revision of a request and the capabilities of its client. */
export type Envelope = {
  revision: Revision
  /** The client can open a URL for its user on request. */
  opensUrls: boolean
  /** The client takes tasks. */
  takesTasks: boolean
}

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
  session: Envelope | null,
): Envelope | Rejection => {
  const header = headerOf(headers, VERSION)
  const meta = metaOf(request)
  const inBody = meta[`${META}protocolVersion`]
  const named = findRevision(header)
  if (inBody !== undefined || named?.hasSessions === false) return readMetadata(headers, request, meta)
  if (header !== undefined && !named) return unsupported(header)
  return {
    revision: named ?? session?.revision ?? REVISION_WITHOUT_HEADER,
    opensUrls: session?.opensUrls ?? false,
    takesTasks: false,
  }
}

/** 2026-07-28, "Request metadata": headers and body must agree. */
const readMetadata = (
  headers: Headers,
  { method, params = {} }: RpcRequest,
  meta: Record<string, unknown>,
): Envelope | Rejection => {
  const version = meta[`${META}protocolVersion`]
  const capabilities = meta[`${META}clientCapabilities`]
  if (typeof version !== 'string') return missing('protocolVersion')
  const header = headerOf(headers, VERSION)
  if (header !== version) return mismatch('MCP-Protocol-Version', header, version)
  const revision = findRevision(version)
  if (!revision || revision.hasSessions) return unsupported(version)
  if (!isObject(capabilities)) return missing('clientCapabilities')
  const named = headerOf(headers, 'mcp-method')
  if (named !== method) return mismatch('Mcp-Method', named, method)
  const subject = subjectOf(method, params)
  if (subject) {
    const raw = headerOf(headers, 'mcp-name')
    const name = raw === undefined ? undefined : decodeHeaderValue(raw)
    if (name === undefined || name !== subject.name)
      return mismatch('Mcp-Name', raw, typeof subject.name === 'string' ? subject.name : '')
  }
  return { revision, opensUrls: opensUrls(capabilities), takesTasks: takesTasks(capabilities) }
}

const TASK_METHODS = ['tasks/get', 'tasks/update', 'tasks/cancel']

/** What the header Mcp-Name repeats. Null: nothing. */
const subjectOf = (method: string, params: RpcParams): { name: unknown } | null => {
  if (method === 'tools/call') return { name: params.name }
  return TASK_METHODS.includes(method) ? { name: params.taskId } : null
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

/** The extension, which the server declares too. */
export const TASKS_EXTENSION = { extensions: { 'io.modelcontextprotocol/tasks': {} } }

const takesTasks = (capabilities: Record<string, unknown>): boolean =>
  isObject(capabilities.extensions) && isObject(capabilities.extensions['io.modelcontextprotocol/tasks'])

export const takesBatches = (headers: Headers): boolean => {
  const header = headerOf(headers, VERSION)
  const revision = header === undefined ? REVISION_WITHOUT_HEADER : findRevision(header)
  return revision?.takesBatches === true
}
