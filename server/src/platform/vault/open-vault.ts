import type { Config } from '../config.ts'
import type { Database } from '../database/database.ts'
import { VaultKeyError } from './key.ts'
import { readVaultKeyFile, writeVaultKeyFile } from './key-file.ts'
import { loadKeyProvider, providerKeyRing } from './key-provider.ts'
import { fileKeyRing, fixedKeyRing, type VaultKeyRing } from './key-ring.ts'
import { hasVaultSecrets, openVault, type Vault } from './vault.ts'

/** The configured keys. Returns undefined if there are none. */
export const openExistingKeyRing = async (config: Config): Promise<VaultKeyRing | undefined> => {
  const options = { production: !config.development }
  const { keyProvider } = config
  if (keyProvider) return providerKeyRing(await loadKeyProvider(keyProvider), keyProvider)
  if (config.vaultKey) return fixedKeyRing([config.vaultKey, ...config.previousVaultKeys], options)
  return readVaultKeyFile(config.keyFile) && fileKeyRing(config.keyFile, options)
}

/** The keys of an existing database, or a new key for a new database in development. */
export const openKeyRing = async (config: Config, db: Database): Promise<VaultKeyRing> => {
  const existing = await openExistingKeyRing(config)
  if (!existing) {
    if (await hasVaultSecrets(db)) {
      throw new VaultKeyError(
        `The vault key is missing: this database was created with a key that is not at ${config.keyFile}. Restore it, or set KEY_FILE or VAULT_KEY.`,
      )
    }
    if (!config.development) {
      throw new VaultKeyError(
        `There is no vault key at ${config.keyFile}. Create one with \`npx --no-install carabiner vault-key create\`, and keep a copy separate from the database.`,
      )
    }
    writeVaultKeyFile(config.keyFile, 'development')
  }
  return existing ?? fileKeyRing(config.keyFile, { production: !config.development })
}

export const openVaultFor = async (config: Config, db: Database): Promise<Vault> =>
  openVault(db, await openKeyRing(config, db))
