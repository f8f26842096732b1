/** Revisions that start with `initialize`, latest first. */
export const HANDSHAKE_REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26']
/** The revision without a handshake: each request names its client and revision. */
export const STATELESS_REVISION = '2026-07-28'

/** Sent in both eras. The server sees this service, never the organization. */
export const CLIENT_INFO = { name: 'carabiner', title: 'Carabiner', version: '1' }

export const META = 'io.modelcontextprotocol/'
export const SERVER_INFO_META = `${META}serverInfo`

/** 2026-07-28, "Request metadata": no capabilities are declared, so the server sends no requests. */
export const requestMeta = (): Record<string, unknown> => ({
  [`${META}protocolVersion`]: STATELESS_REVISION,
  [`${META}clientInfo`]: CLIENT_INFO,
  [`${META}clientCapabilities`]: {},
})

export const isStateless = (revision: string): boolean => revision === STATELESS_REVISION

export const RPC_CODES = {
  methodNotFound: -32601,
  invalidParams: -32602,
  unsupportedRevision: -32022,
  urlElicitationRequired: -32042,
} as const
