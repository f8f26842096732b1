import { parseToken, routingCodeOf, type Token } from '../../../core/token.ts'
import type { Signer } from '../../../platform/vault/vault.ts'
import { fromBase64url, readHandle, writeHandle } from '../../pages/handle.ts'

const PURPOSE = 'magic-link'
const HANDLE_PURPOSE = 'link-session'

/** §2: `{base_url}/magic-link/<opaque>`; the opaque part is `token.expiry.signature`. */
export const magicLinkUrl = (
  baseUrl: string,
  signer: Signer,
  token: Token<'magicLink'>,
  expiresAt: Date,
): string => {
  const signed = `${token}.${Math.floor(expiresAt.getTime() / 1000).toString(36)}`
  return `${baseUrl}/magic-link/${signed}.${signer.sign(PURPOSE, signed).toString('base64url')}`
}

/** Links with an invalid signature are rejected without a database query. */
export const verifyMagicLink = (signer: Signer, opaque: string): Token<'magicLink'> | null => {
  const [token = '', expiry = '', signature = '', ...rest] = opaque.split('.')
  if (rest.length > 0 || !signer.verify(PURPOSE, `${token}.${expiry}`, fromBase64url(signature))) return null
  return parseToken('magicLink', token)
}

/** The routing code of a link whose signature may be invalid, because another installation may have signed it. Null if it is malformed. */
export const routingCodeOfLink = (opaque: string): string | null => {
  const token = parseToken('magicLink', opaque.split('.')[0] ?? '')
  return token && routingCodeOf(token)
}

export type SessionKey = { organizationId: string; sessionId: string }

/** The identifier of a session in page addresses. It names the session and contains none of its tokens. */
export const sessionHandle = (signer: Signer, { organizationId, sessionId }: SessionKey): string =>
  writeHandle(signer, HANDLE_PURPOSE, { organizationId, id: sessionId })

export const readSessionHandle = (signer: Signer, handle: string): SessionKey | null => {
  const named = readHandle(signer, HANDLE_PURPOSE, handle)
  return named && { organizationId: named.organizationId, sessionId: named.id }
}
