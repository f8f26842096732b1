import { TOKEN_ROUTING_LENGTH } from '@carabiner/contract'
import { routingCode } from '../../core/token.ts'
import type { Signer } from '../../platform/vault/vault.ts'

/** A row that a handle names. */
export type NamedRow = { organizationId: string; id: string }

/** Decoders ignore invalid characters; re-encoding ensures that only the canonical spelling is accepted. */
export const fromBase64url = (text: string): Buffer => {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : Buffer.alloc(0)
}

const toBytes = (uuid: string): Buffer => Buffer.from(uuid.replaceAll('-', ''), 'hex')
const toUuid = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

/** A signed identifier for page addresses. `purpose`: a handle is valid for one kind of row only. */
export const writeHandle = (signer: Signer, purpose: string, { organizationId, id }: NamedRow): string => {
  const body = Buffer.concat([toBytes(organizationId), toBytes(id)])
  const signed = Buffer.concat([body, signer.sign(purpose, body.toString('hex'))])
  return routingCode(organizationId) + signed.toString('base64url')
}

/** Null if the handle is malformed. Its signature is not verified. */
const decodeHandle = (handle: string) => {
  const bytes = fromBase64url(handle.slice(TOKEN_ROUTING_LENGTH))
  if (bytes.length !== 48) return null
  const body = bytes.subarray(0, 32)
  const organizationId = toUuid(body.subarray(0, 16))
  if (!handle.startsWith(routingCode(organizationId))) return null
  const named: NamedRow = { organizationId, id: toUuid(body.subarray(16)) }
  return { named, signed: body.toString('hex'), signature: bytes.subarray(32) }
}

export const readHandle = (signer: Signer, purpose: string, handle: string): NamedRow | null => {
  const decoded = decodeHandle(handle)
  return decoded && signer.verify(purpose, decoded.signed, decoded.signature) ? decoded.named : null
}

/** The routing code of a handle whose signature may be invalid. Null if it is malformed. */
export const routingCodeOfHandle = (handle: string): string | null =>
  decodeHandle(handle) && handle.slice(0, TOKEN_ROUTING_LENGTH)
