/** Revisions that open with `initialize`, newest first. */
export const HANDSHAKE_REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26']
/** The revision without a handshake: each request says who asks and in which revision. */
export const STATELESS_REVISION = '2026-07-28'

/** Both eras know it; the server sees the service and never the organization behind it. */
export const CLIENT_INFO = { name: 'carabiner', title: 'Carabiner', version: '1' }

export const META = 'io.modelcontextprotocol/'
export const SERVER_INFO_META = `${META}serverInfo`

/** 2026-07-28, "Request metadata": nothing is offered, so a server has nothing to ask of us. */
export const requestMeta = (): Record<string, unknown> => ({
  [`${META}protocolVersion`]: STATELESS_REVISION,
  [`${META}clientInfo`]: CLIENT_INFO,
  [`${META}clientCapabilities`]: {},
})

export const isStateless = (revision: string): boolean => revision === STATELESS_REVISION

export const RPC_CODES = {
  methodNotFound: -32601,
  unsupportedRevision: -32022,
  urlElicitationRequired: -32042,
} as const
