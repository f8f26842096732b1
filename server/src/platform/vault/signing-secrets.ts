import { Secret } from '../../core/secret.ts'
import { type Signer, type SigningSecret, signerOf } from '../../core/webhook-signature.ts'
import type { Queryable } from '../database/database.ts'
import { type DataKey, type SealContext, seal, unseal } from './sealing.ts'
import type { Vault } from './vault.ts'

/** What a secret signs requests to. */
export type SignedFor = {
  purpose: 'webhook-endpoint' | 'policy-hook'
  organizationId: string
  id: string
}
/** `sealedPreviousSecret`: the secret that a rotation has replaced, while it signs too. */
export type SealedSecrets = { sealedSecret: Buffer; sealedPreviousSecret: Buffer | null }

const contextOf = ({ purpose, organizationId, id }: SignedFor, isPrevious: boolean): SealContext => [
  isPrevious ? `${purpose}-previous` : purpose,
  organizationId,
  id,
]

/** `key`: the latest of the organization. */
export const sealSigningSecret = (
  key: DataKey,
  target: SignedFor,
  secret: SigningSecret,
  isPrevious = false,
): Buffer => seal(key, secret.reveal(), contextOf(target, isPrevious))

export const openSigningSecret = async (
  vault: Vault,
  target: SignedFor,
  sealed: Buffer,
  { isPrevious = false, through }: { isPrevious?: boolean; through?: Queryable } = {},
): Promise<SigningSecret> => {
  const key = await vault.organizationKeyOf(target.organizationId, sealed, through)
  return new Secret(unseal(key, sealed, contextOf(target, isPrevious)).toString('utf8'))
}

/** Signs with the current secret, and after a rotation also with the previous one. */
export const openSigners = async (
  vault: Vault,
  target: SignedFor,
  { sealedSecret, sealedPreviousSecret }: SealedSecrets,
): Promise<Signer[]> => {
  const current = await openSigningSecret(vault, target, sealedSecret)
  const secrets = sealedPreviousSecret
    ? [current, await openSigningSecret(vault, target, sealedPreviousSecret, { isPrevious: true })]
    : [current]
  return secrets.map(signerOf)
}
