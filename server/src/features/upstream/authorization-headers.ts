import type { ConnectorFile } from '@carabiner/contract'
import type { Secret } from '../../core/secret.ts'

export type CallSecret = { kind: 'oauth'; accessToken: Secret } | { kind: 'api_key'; key: Secret }

/** A credential goes to its connector's own origins and nowhere else, whatever a tool's address says. */
export const authorizationHeaders = (
  connector: ConnectorFile,
  secret: CallSecret,
  url: string,
): Record<string, string> => {
  const { origin } = new URL(url)
  if (!connector.credential_origins.some(allowed => new URL(allowed).origin === origin)) {
    throw new Error(`the credential of ${connector.slug} may not be sent to ${origin}`)
  }
  if (secret.kind === 'oauth') return { authorization: `Bearer ${secret.accessToken.reveal()}` }
  const { authorization } = connector
  if (authorization.type !== 'api_key') throw new Error(`${connector.slug} does not take an API key`)
  return { [authorization.header.name]: authorization.header.prefix + secret.key.reveal() }
}
