import { TOKEN_ROUTING_LENGTH } from '@carabiner/contract'
import { parseToken, routingCode, type Token } from '../../../core/token.ts'
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

export const readSessionHandle = (signer: Signer, handle: string): SessionKey | null => {
  const bytes = fromBase64url(handle.slice(TOKEN_ROUTING_LENGTH))
  const body = bytes.subarray(0, 32)
  if (bytes.length !== 48 || !signer.verify(HANDLE_PURPOSE, body.toString('hex'), bytes.subarray(32)))
    return null
  const organizationId = toUuid(body.subarray(0, 16))
  if (!handle.startsWith(routingCode(organizationId))) return null
  return { organizationId, sessionId: toUuid(body.subarray(16)) }
}
