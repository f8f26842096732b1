import type { PasskeyAssertion } from '@carabiner/contract'
import type { PasskeyPublicKey } from '@carabiner/contract/approval-receipt'
import { Refusal } from '../../../core/refusal.ts'
import type { Queryable, Transaction } from '../../../platform/database/database.ts'
import { passkeyStore } from './passkey-store.ts'
import { toJwk } from './public-key.ts'

/** Where passkeys are created and used. */
export const passkeyRealm = (baseUrl: string): { rpId: string; origin: string } => {
  const { hostname, origin } = new URL(baseUrl)
  return { rpId: hostname, origin }
}

/** An assertion that was verified. Its counter must still be used up. */
export type VerifiedPasskey = {
  id: string
  personId: string
  counter: number
  publicKey: PasskeyPublicKey
  rpId: string
  origin: string
  assertion: PasskeyAssertion
}

type Wanted = { personId: string; challenge: Buffer; assertion: PasskeyAssertion }

/**
 * Throws unless a passkey of this person has signed the challenge on the dashboard, and has verified the person. The library is loaded at its
 * first use, like better-auth.
 */
export const verifyPasskey = async (
  { db, baseUrl }: { db: Queryable; baseUrl: string },
  { personId, challenge, assertion }: Wanted,
): Promise<VerifiedPasskey> => {
  const stored = await passkeyStore.find(db, personId, assertion.credential_id)
  if (!stored) throw rejected()
  const [{ verifyAuthenticationResponse }, { decodeCredentialPublicKey }] = await Promise.all([
    import('@simplewebauthn/server'),
    import('@simplewebauthn/server/helpers'),
  ])
  const { credentialId: id, counter } = stored
  const coseKey = Uint8Array.from(Buffer.from(stored.publicKey, 'base64'))
  const { rpId, origin } = passkeyRealm(baseUrl)
  const result = await verifyAuthenticationResponse({
    response: {
      id,
      rawId: id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: assertion.client_data_json,
        authenticatorData: assertion.authenticator_data,
        signature: assertion.signature,
      },
    },
    expectedChallenge: challenge.toString('base64url'),
    expectedOrigin: origin,
    expectedRPID: rpId,
    credential: { id, publicKey: coseKey, counter },
    requireUserVerification: true,
  }).catch((cause: unknown) => {
    throw rejected(cause)
  })
  const publicKey = toJwk(decodeCredentialPublicKey(coseKey) as unknown as ReadonlyMap<number, unknown>)
  if (!result.verified || !publicKey) throw rejected()
  const { newCounter } = result.authenticationInfo
  return { id: stored.id, personId, counter: newCounter, publicKey, rpId, origin, assertion }
}

/** In the transaction of what the assertion is for. Throws if another request has used it. */
export const usePasskey = async (tx: Transaction, { id, counter }: VerifiedPasskey): Promise<void> => {
  if (!(await passkeyStore.advance(tx, id, counter))) throw rejected()
}

const rejected = (cause?: unknown): Refusal => new Refusal('passkey_rejected', { param: 'assertion', cause })

/** The passkeys that a person can use. */
export const passkeysOf = async (
  db: Queryable,
  personId: string,
): Promise<{ credential_id: string; transports: string[] }[]> =>
  (await passkeyStore.list(db, personId)).map(({ credentialId, transports }) => ({
    credential_id: credentialId,
    transports: transports?.split(',').filter(Boolean) ?? [],
  }))
