import type { Signer } from '../../../platform/vault/vault.ts'
import type { OAuthClient } from './oauth-client.ts'

const PURPOSE = 'registered-client'
/** Of the ID. It is part of the URL of the authorization endpoint, which proxies limit. */
const MAX_ID_LENGTH = 2000

/**
 * RFC 7591: the ID of a registered client contains its metadata, signed for the organization (decision 41). Nothing is stored, so
 * registrations need no limit in number and no cleanup. Null if the ID would be too long.
 */
export const registerClient = (
  signer: Signer,
  organizationId: string,
  { name, redirectUris }: Omit<OAuthClient, 'id'>,
): OAuthClient | null => {
  const metadata = Buffer.from(JSON.stringify([name, ...redirectUris])).toString('base64url')
  const id = `${metadata}.${signer.sign(PURPOSE, `${organizationId}.${metadata}`).toString('base64url')}`
  return id.length > MAX_ID_LENGTH ? null : { id, name, redirectUris }
}

/** Null if the ID was not issued for this organization. */
export const readRegisteredClient = (
  signer: Signer,
  organizationId: string,
  id: string,
): OAuthClient | null => {
  const [, metadata = '', signature = ''] = /^([\w-]+)\.([\w-]{22})$/.exec(id) ?? []
  if (id.length > MAX_ID_LENGTH) return null
  const isOwn = signer.verify(PURPOSE, `${organizationId}.${metadata}`, Buffer.from(signature, 'base64url'))
  if (!isOwn) return null
  const [name = '', ...redirectUris] = JSON.parse(Buffer.from(metadata, 'base64url').toString()) as string[]
  return { id, name, redirectUris }
}
