import { type DataKey, type SealContext, seal, unseal } from '../../platform/vault/sealing.ts'
import type { Tokens } from '../oauth/protocol.ts'
import {
  type CredentialSecret,
  fromPlain,
  type OAuthSecret,
  type PlainSecret,
  toPlain,
} from '../upstream/authorization-kinds/authorization-kinds.ts'

export type { CredentialSecret, OAuthSecret } from '../upstream/authorization-kinds/authorization-kinds.ts'

export type SecretOwner = {
  organizationId: string
  registeredUserId: string
  connectorSlug: string
  secretId: string
}

/** Binds the ciphertext to its user, connector and secret ID, so that a row copied elsewhere cannot be decrypted. */
const contextOf = (owner: SecretOwner): SealContext => [
  'credential',
  owner.organizationId,
  owner.registeredUserId,
  owner.connectorSlug,
  owner.secretId,
]

export const oauthSecret = (
  { accessToken, refreshToken }: Tokens,
  tenant: Record<string, string>,
): OAuthSecret => ({ kind: 'oauth2', accessToken, refreshToken, tenant })

export const sealSecret = (key: DataKey, owner: SecretOwner, secret: CredentialSecret): Buffer =>
  seal(key, JSON.stringify(toPlain(secret)), contextOf(owner))

export const unsealSecret = (key: DataKey, owner: SecretOwner, sealed: Buffer): CredentialSecret =>
  fromPlain(JSON.parse(unseal(key, sealed, contextOf(owner)).toString('utf8')) as PlainSecret)

/** Seals a secret again under another key of its user. */
export const resealUnder = (from: DataKey, to: DataKey, owner: SecretOwner, sealed: Buffer): Buffer =>
  seal(to, unseal(from, sealed, contextOf(owner)), contextOf(owner))

/** A token that is kept after its user is deleted, until it is revoked at the provider. Its context does not name the user. */
type RevocationLocation = Omit<SecretOwner, 'registeredUserId'>
type PlainRevocation = { secret: PlainSecret; account: string | null }

const revocationContext = (location: RevocationLocation): SealContext => [
  'revocation',
  location.organizationId,
  location.connectorSlug,
  location.secretId,
]

type ResealInput = {
  userKey: DataKey
  organizationKey: DataKey
  owner: SecretOwner
  sealed: Buffer
  /** Sealed with the token; shows whether another user has the same grant. */
  account: string | null
}

export const resealForOrganization = ({
  userKey,
  organizationKey,
  owner,
  sealed,
  account,
}: ResealInput): Buffer => {
  const secret = JSON.parse(unseal(userKey, sealed, contextOf(owner)).toString('utf8')) as PlainSecret
  const plain: PlainRevocation = { secret, account }
  return seal(organizationKey, JSON.stringify(plain), revocationContext(owner))
}

export const unsealForRevocation = (
  organizationKey: DataKey,
  location: RevocationLocation,
  sealed: Buffer,
): { secret: CredentialSecret; account: string | null } => {
  const text = unseal(organizationKey, sealed, revocationContext(location)).toString('utf8')
  const { secret, account } = JSON.parse(text) as PlainRevocation
  return { secret: fromPlain(secret), account }
}
