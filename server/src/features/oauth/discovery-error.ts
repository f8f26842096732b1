/** Why authorization at a server cannot be used. The codes are stable: they are displayed, stored and tested. */
export type DiscoveryCode =
  | 'unreachable'
  | 'address_refused'
  | 'metadata_missing'
  | 'metadata_invalid'
  | 'resource_mismatch'
  | 'issuer_mismatch'
  | 'pkce_unsupported'
  | 'registration_unsupported'
  | 'registration_refused'

/** The message is for the person who registers the server. It contains no secrets, and of the server's data at most an address. */
export class DiscoveryError extends Error {
  readonly code: DiscoveryCode

  constructor(code: DiscoveryCode, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'DiscoveryError'
    this.code = code
  }
}
