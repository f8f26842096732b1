import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto'

export type Signer = {
  sign(purpose: string, text: string): Buffer
  verify(purpose: string, text: string, signature: Uint8Array): boolean
}

const SIGNATURE_LENGTH = 16

/** One HMAC key per purpose, so that a signature is valid for its purpose only. */
export const createSigner = (root: KeyObject): Signer => {
  const keys = new Map<string, KeyObject>()
  const keyFor = (purpose: string): KeyObject => {
    const known = keys.get(purpose)
    if (known) return known
    const key = createSecretKey(
      Buffer.from(hkdfSync('sha256', root, Buffer.alloc(32), `sign:${purpose}`, 32)),
    )
    keys.set(purpose, key)
    return key
  }
  const sign: Signer['sign'] = (purpose, text) =>
    createHmac('sha256', keyFor(purpose)).update(text).digest().subarray(0, SIGNATURE_LENGTH)
  return {
    sign,
    verify: (purpose, text, signature) =>
      signature.length === SIGNATURE_LENGTH && timingSafeEqual(sign(purpose, text), signature),
  }
}
