/** Why a server's own authorization cannot be used. Stable words: they are shown, stored and tested for. */
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

/** The message is a sentence for whoever registers the server; it quotes no secret and no more of theirs than an address. */
export class DiscoveryError extends Error {
  readonly code: DiscoveryCode

  constructor(code: DiscoveryCode, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'DiscoveryError'
    this.code = code
  }
}
