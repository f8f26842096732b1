import type { Secret } from '../../core/secret.ts'
import { type KeyEncryptionKey, parseVaultKey, VaultKeyError } from './key.ts'
import { readVaultKeyFile } from './key-file.ts'
import { type DataKey, keyIdOf } from './sealing.ts'

/** The available vault keys. All of them unwrap; the database determines which one wraps, so that every node agrees. */
export type VaultKeyRing = {
  /** The source of the keys, a file or a setting, for error messages. */
  readonly source: string
  /** The key at the top, which a new database starts with and a rotation switches to. */
  first(): KeyEncryptionKey
  find(id: Buffer): KeyEncryptionKey | undefined
}

type Options = { production: boolean }

export const fixedKeyRing = (
  texts: Secret[],
  options: Options,
  source = 'the setting VAULT_KEY',
): VaultKeyRing => {
  const keys = parseAll(texts, { ...options, source })
  return { source, first: () => keys[0] as KeyEncryptionKey, find: id => keys.find(key => key.id.equals(id)) }
}

/** The file is read again for an unknown key, so that a rotation needs no restart. */
export const fileKeyRing = (path: string, options: Options): VaultKeyRing => {
  const read = (): VaultKeyRing => fixedKeyRing(readVaultKeyFile(path) ?? [], options, path)
  let current = read()
  return {
    source: path,
    first: () => {
      current = read()
      return current.first()
    },
    find: id => {
      const known = current.find(id)
      if (known) return known
      current = read()
      return current.find(id)
    },
  }
}

const parseAll = (texts: Secret[], options: Options & { source: string }): KeyEncryptionKey[] => {
  if (texts.length === 0)
    throw new VaultKeyError(
      `The vault key is missing from ${options.source}. Restore it (KEY_FILE or VAULT_KEY).`,
    )
  return texts.map(text => parseVaultKey(text, options))
}

/** The vault key that a key is wrapped under. */
export const wrappingKeyOf = (ring: VaultKeyRing, wrapped: Buffer): KeyEncryptionKey => {
  const key = ring.find(keyIdOf(wrapped, ['wrapped-key']))
  if (key) return key
  throw new VaultKeyError(
    `The vault key that wraps a stored key is missing (searched: ${ring.source}). Copy the vault key file of the last rotation to this machine, or set VAULT_KEY_PREVIOUS.`,
  )
}

export const unwrapKey = async (ring: VaultKeyRing, wrapped: Buffer, owner: string): Promise<DataKey> =>
  wrappingKeyOf(ring, wrapped).unwrap(wrapped, owner)
