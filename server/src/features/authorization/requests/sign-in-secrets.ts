import type { Signer } from '../../../platform/vault/vault.ts'
import { readHandle, writeHandle } from '../../pages/handle.ts'
import type { RequestKey } from './request-store.ts'

const STATE = 'sign-in-state'
const REQUEST = 'sign-in-request'

/** The identifier of a request in the addresses of its pages. */
export const requestHandle = (signer: Signer, key: RequestKey): string => writeHandle(signer, REQUEST, key)
export const readRequestHandle = (signer: Signer, handle: string): RequestKey | null =>
  readHandle(signer, REQUEST, handle)

/** `state`, `nonce` and PKCE verifier of a request at the identity provider. They follow from its ID and the signing key, so none is stored. */
export const providerSecrets = (signer: Signer, key: RequestKey) => {
  const derive = (purpose: string): Buffer => signer.sign(purpose, `${key.organizationId}.${key.id}`)
  return {
    state: writeHandle(signer, STATE, key),
    nonce: derive('sign-in-nonce').toString('base64url'),
    codeVerifier: Buffer.concat([derive('sign-in-verifier-1'), derive('sign-in-verifier-2')]).toString(
      'base64url',
    ),
  }
}

export const readProviderState = (signer: Signer, state: string): RequestKey | null =>
  readHandle(signer, STATE, state)

/** Counts the requests of a network without storing its address. */
export const networkHash = (signer: Signer, organizationId: string, network: string): Buffer =>
  signer.sign('sign-in-network', `${organizationId}.${network}`)
