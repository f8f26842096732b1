import { TOKEN_ROUTING_LENGTH } from '@carabiner/contract'
import { parseToken, routingCode, routingCodeOf, type Token } from '../../../core/token.ts'
import type { Signer } from '../../../platform/vault/vault.ts'

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

/** Decoders ignore invalid characters; re-encoding ensures that only the canonical spelling is accepted. */
const fromBase64url = (text: string): Buffer => {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : Buffer.alloc(0)
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

const toBytes = (uuid: string): Buffer => Buffer.from(uuid.replaceAll('-', ''), 'hex')
const toUuid = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

/** The identifier of a session in page addresses. It names the session and contains none of its tokens. */
export const sessionHandle = (signer: Signer, { organizationId, sessionId }: SessionKey): string => {
  const body = Buffer.concat([toBytes(organizationId), toBytes(sessionId)])
  const signed = Buffer.concat([body, signer.sign(HANDLE_PURPOSE, body.toString('hex'))])
  return routingCode(organizationId) + signed.toString('base64url')
}

/** Null if the handle is malformed. Its signature is not verified. */
const decodeHandle = (handle: string) => {
  const bytes = fromBase64url(handle.slice(TOKEN_ROUTING_LENGTH))
  if (bytes.length !== 48) return null
  const body = bytes.subarray(0, 32)
  const organizationId = toUuid(body.subarray(0, 16))
  if (!handle.startsWith(routingCode(organizationId))) return null
  const key: SessionKey = { organizationId, sessionId: toUuid(body.subarray(16)) }
  return { key, signed: body.toString('hex'), signature: bytes.subarray(32) }
}

export const readSessionHandle = (signer: Signer, handle: string): SessionKey | null => {
  const decoded = decodeHandle(handle)
  return decoded && signer.verify(HANDLE_PURPOSE, decoded.signed, decoded.signature) ? decoded.key : null
}

/** The routing code of a handle whose signature may be invalid. Null if it is malformed. */
export const routingCodeOfHandle = (handle: string): string | null =>
  decodeHandle(handle) && handle.slice(0, TOKEN_ROUTING_LENGTH)
