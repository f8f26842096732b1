import type { Secret } from '../../core/secret.ts'
import { type KeyEncryptionKey, parseVaultKey, VaultKeyError } from './key.ts'
import { readVaultKeyFile } from './key-file.ts'
import { type DataKey, keyIdOf } from './sealing.ts'

/** The vault keys at hand. All of them open; which one wraps is for the database to say, so that every node agrees. */
export type VaultKeyRing = {
  /** Where the keys come from: a file or a setting, for messages. */
  readonly source: string
  /** What a new database begins with, and what a rotation goes over to: the one on top, as it is now. */
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

/** The file is read again for a key that it did not hold before: a rotation has put one there, and nobody restarts for that. */
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
      `The vault key is missing: there is none in ${options.source}. Restore it (KEY_FILE or VAULT_KEY).`,
    )
  return texts.map(text => parseVaultKey(text, options))
}

/** The vault key that something is wrapped under. */
export const keyThatWraps = (ring: VaultKeyRing, wrapped: Buffer): KeyEncryptionKey => {
  const key = ring.find(keyIdOf(wrapped, ['wrapped-key']))
  if (key) return key
  throw new VaultKeyError(
    `A key is wrapped under a vault key that is not here (searched: ${ring.source}). Put the vault key file of the last rotation on this machine, or set VAULT_KEY_PREVIOUS.`,
  )
}

export const unwrapKey = async (ring: VaultKeyRing, wrapped: Buffer, owner: string): Promise<DataKey> =>
  keyThatWraps(ring, wrapped).unwrap(wrapped, owner)
