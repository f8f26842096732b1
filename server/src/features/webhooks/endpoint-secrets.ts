import { Secret } from '../../core/secret.ts'
import type { Queryable } from '../../platform/database/database.ts'
import { type SealContext, seal, unseal } from '../../platform/vault/sealing.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import type { EndpointKey, LeasedEndpoint } from './endpoint-store.ts'
import { type Signer, type SigningSecret, signerOf } from './sign-webhook.ts'

/** `previous`: the secret that a rotation has replaced, which signs for another day. */
type Purpose = 'webhook-endpoint' | 'webhook-endpoint-previous'

const contextOf = (purpose: Purpose, { organizationId, id }: EndpointKey): SealContext => [
  purpose,
  organizationId,
  id,
]

export const sealEndpointSecret = async (
  vault: Vault,
  endpoint: EndpointKey,
  secret: SigningSecret,
  purpose: Purpose = 'webhook-endpoint',
): Promise<Buffer> =>
  seal(await vault.organizationKey(endpoint.organizationId), secret.reveal(), contextOf(purpose, endpoint))

const open = async (
  vault: Vault,
  endpoint: EndpointKey,
  purpose: Purpose,
  sealed: Buffer,
  through?: Queryable,
): Promise<SigningSecret> => {
  const key = await vault.organizationKeyOf(endpoint.organizationId, sealed, through)
  return new Secret(unseal(key, sealed, contextOf(purpose, endpoint)).toString('utf8'))
}

export const openEndpointSecret = (
  vault: Vault,
  endpoint: LeasedEndpoint,
  through?: Queryable,
): Promise<SigningSecret> => open(vault, endpoint, 'webhook-endpoint', endpoint.sealedSecret, through)

/** Signs with the current secret, and with the previous one for a day. */
export const openSigners = async (vault: Vault, endpoint: LeasedEndpoint): Promise<Signer[]> => {
  const { sealedPreviousSecret } = endpoint
  const current = await openEndpointSecret(vault, endpoint)
  const secrets = sealedPreviousSecret
    ? [current, await open(vault, endpoint, 'webhook-endpoint-previous', sealedPreviousSecret)]
    : [current]
  return secrets.map(signerOf)
}
