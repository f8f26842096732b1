import { readMigrations } from '../../../platform/database/migrate.ts'
import { VaultKeyError } from '../../../platform/vault/key.ts'
import { KeyServiceError } from '../../../platform/vault/key-provider.ts'
import { countMissingVaultKeys, verifyVaultKey } from '../../../platform/vault/vault.ts'
import { type Check, ok, problem } from './finding.ts'

export const vaultKeyCheck: Check = {
  name: 'vault key',
  run: async ({ config, db, openRing }) => {
    const fix =
      'Restore the vault key of this database (KEY_FILE or VAULT_KEY). Without it, no credential can be decrypted.'
    try {
      const ring = await openRing()
      if (!ring)
        return problem(
          `There is no vault key at ${config.keyFile}.`,
          `For a new database, create one with \`carabiner vault-key create\`. Otherwise: ${fix}`,
        )
      if (typeof db === 'string' || db instanceof Error)
        return ok(`${ring.source} is readable; it was not compared with the database`)
      const { applied } = await readMigrations(db)
      if (applied.length === 0 || !(await verifyVaultKey(db, ring)))
        return ok(`${ring.source} is readable; the database has no keys yet`)
      const missing = await countMissingVaultKeys(db, ring)
      if (missing > 0) return problem(`${missing} vault keys that wrap stored keys are missing.`, fix)
      return ok(`${ring.source} decrypts the keys of this database. Is there a copy of it in a safe place?`)
    } catch (error) {
      if (error instanceof KeyServiceError)
        return problem(
          error.message,
          'Check the key service, the network to it, and the rights of this machine there.',
        )
      if (!(error instanceof VaultKeyError)) throw error
      return problem(error.message, fix)
    }
  },
}
