import { hash, timingSafeEqual } from 'node:crypto'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { SECOND } from '../../core/duration.ts'
import { type KeyEncryptionKey, VaultKeyError } from './key.ts'
import type { VaultKeyRing } from './key-ring.ts'
import { attachKeyId, detachKeyId, exportDataKey, importDataKey, SealBroken } from './sealing.ts'

type CallOptions = { signal: AbortSignal }

/** What the module in KEY_PROVIDER returns: the vault keys are in a key service, and never in this process. docs/security/key-services.md */
export type KeyProvider = {
  /** Names of keys in the key service. The first one encrypts, and all of them decrypt. Read for each use, so it may be a getter. */
  readonly keyIds: readonly string[]
  /** Must be authenticated encryption. */
  encrypt(keyId: string, plaintext: Uint8Array, options: CallOptions): Promise<Uint8Array>
  decrypt(keyId: string, ciphertext: Uint8Array, options: CallOptions): Promise<Uint8Array>
}

/** The key service did not answer, or rejected the request. */
export class KeyServiceError extends Error {
  override name = 'KeyServiceError'
}

const DEFAULT_TIMEOUT_MS = 5 * SECOND
const KEY_ID_LENGTH = 16
const BINDING_LENGTH = 32

/** Imports the module, and calls its default export. */
export const loadKeyProvider = async (path: string): Promise<KeyProvider> => {
  let provider: unknown
  try {
    const module: { default?: unknown } = await import(pathToFileURL(resolve(path)).href)
    if (typeof module.default !== 'function') throw new Error('it has no function as its default export')
    provider = await module.default()
  } catch (cause) {
    throw new VaultKeyError(`The key provider ${path} cannot be loaded: ${(cause as Error).message}.`, {
      cause,
    })
  }
  if (isKeyProvider(provider)) return provider
  throw new VaultKeyError(
    `The key provider ${path} must return an object with keyIds (at least one), encrypt and decrypt.`,
  )
}

const isKeyProvider = (value: unknown): value is KeyProvider => {
  const { keyIds, encrypt, decrypt } = (value ?? {}) as Partial<KeyProvider>
  const areNames = Array.isArray(keyIds) && keyIds.length > 0 && keyIds.every(id => typeof id === 'string')
  return areNames && typeof encrypt === 'function' && typeof decrypt === 'function'
}

export const providerKeyRing = (
  provider: KeyProvider,
  source: string,
  timeoutMs = DEFAULT_TIMEOUT_MS,
): VaultKeyRing => {
  const keyOf = (keyId: string) => providerKey(provider, keyId, timeoutMs)
  return {
    source,
    first: () => {
      const [keyId] = provider.keyIds
      if (keyId === undefined) throw new VaultKeyError(`The key provider ${source} has no key.`)
      return keyOf(keyId)
    },
    // Only keys that the provider names are used: a key that only the database names could belong to an attacker.
    find: id => {
      const keyId = provider.keyIds.find(each => storedIdOf(each).equals(id))
      return keyId === undefined ? undefined : keyOf(keyId)
    },
  }
}

const storedIdOf = (keyId: string): Buffer => hash('sha256', keyId, 'buffer').subarray(0, KEY_ID_LENGTH)

/** Encrypted with the key, so that a wrapped key that was moved to another owner is rejected, whatever the key service authenticates. */
const bindingOf = (owner: string): Buffer => hash('sha256', JSON.stringify(['wrapped-key', owner]), 'buffer')

const providerKey = (provider: KeyProvider, keyId: string, timeoutMs: number): KeyEncryptionKey => {
  const id = storedIdOf(keyId)
  return {
    id,
    wrap: async (key, owner) => {
      const plaintext = Buffer.concat([bindingOf(owner), exportDataKey(key)])
      const ciphertext = await callService(timeoutMs, signal =>
        provider.encrypt(keyId, plaintext, { signal }),
      )
      if (ciphertext.length <= plaintext.length)
        throw new KeyServiceError('The key service returned a ciphertext without authentication.')
      return attachKeyId(id, ciphertext)
    },
    unwrap: async (wrapped, owner) => {
      const ciphertext = detachKeyId(wrapped, ['wrapped-key', owner])
      const plaintext = await callService(timeoutMs, signal =>
        provider.decrypt(keyId, ciphertext, { signal }),
      )
      const binding = plaintext.subarray(0, BINDING_LENGTH)
      if (binding.length !== BINDING_LENGTH || !timingSafeEqual(binding, bindingOf(owner)))
        throw new SealBroken(['wrapped-key', owner], 'it belongs to another owner')
      return importDataKey(plaintext.subarray(BINDING_LENGTH))
    },
  }
}

const callService = async (
  timeoutMs: number,
  call: (signal: AbortSignal) => Promise<Uint8Array>,
): Promise<Buffer> => {
  const signal = AbortSignal.timeout(timeoutMs)
  const { promise: timeout, reject } = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => reject(new Error(`no answer within ${timeoutMs} ms`)))
  try {
    return Buffer.from(await Promise.race([call(signal), timeout]))
  } catch (cause) {
    throw new KeyServiceError(`The key service failed: ${(cause as Error).message}.`, { cause })
  }
}
