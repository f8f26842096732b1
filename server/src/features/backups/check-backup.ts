import type { RowChunk } from '../../platform/archive/archive-format.ts'
import { verifyArchive } from '../../platform/archive/archive-reader.ts'
import { ArchiveRefusal } from '../../platform/archive/archive-refusal.ts'
import type { RowTotals } from '../../platform/archive/row-totals.ts'
import type { SchemaVersion } from '../../platform/database/migrate.ts'
import { KeyServiceError } from '../../platform/vault/key-provider.ts'
import { unwrapKey, type VaultKeyRing, wrappingKeyOf } from '../../platform/vault/key-ring.ts'
import { SIGNING_OWNER } from '../../platform/vault/vault-store.ts'
import type { RowProgress } from '../portability/export-organization.ts'
import type { Backup } from './backup-format.ts'

type CheckOptions = {
  schema: SchemaVersion
  ring: VaultKeyRing
  onProgress?: (progress: RowProgress) => void
}

/**
 * Reads the whole backup, and checks that it is complete, that it has the given schema, and that the vault key decrypts it. Returns the
 * number of rows and the checksum of each table.
 */
export const checkBackup = async (
  backup: Backup,
  { schema, ring, onProgress = () => undefined }: CheckOptions,
): Promise<RowTotals> => {
  requireSchema(backup, schema)
  let rows = 0
  const { totals } = await verifyArchive(backup, async chunk => {
    rows += chunk.lines.length
    onProgress({ table: `checking ${chunk.table}`, rows, allRows: null })
    if (chunk.table === 'service_secrets') await checkSecrets(ring, chunk)
    if (chunk.table === 'organization_keys') checkOrganizationKeys(ring, chunk)
  })
  return totals
}

const requireSchema = ({ header }: Backup, own: SchemaVersion): void => {
  const { schema, version } = header
  if (own.checksum === schema.checksum) return
  throw new ArchiveRefusal(
    `The backup was made by Carabiner ${version} with the database schema ${schema.name}, and this one has ${own.name}. Restore it with the version that made it, and update Carabiner afterwards.`,
  )
}

const valuesOf = ({ columns, lines }: RowChunk, column: string): string[] =>
  lines.map(line => (JSON.parse(line) as string[])[columns.indexOf(column)] as string)

const bytesOf = (text: string): Buffer => Buffer.from(text.slice(2), 'hex')

/** Proves that the vault key is the right one. */
const checkSecrets = async (ring: VaultKeyRing, chunk: RowChunk): Promise<void> => {
  const wrapped = valuesOf(chunk, 'wrapped')
  const at = valuesOf(chunk, 'name').indexOf(SIGNING_OWNER)
  try {
    await unwrapKey(ring, bytesOf(wrapped[at] ?? ''), SIGNING_OWNER)
  } catch (cause) {
    throw wrongKey(ring, cause)
  }
}

const checkOrganizationKeys = (ring: VaultKeyRing, chunk: RowChunk): void => {
  try {
    for (const wrapped of valuesOf(chunk, 'wrapped')) wrappingKeyOf(ring, bytesOf(wrapped))
  } catch (cause) {
    throw wrongKey(ring, cause)
  }
}

const wrongKey = ({ source }: VaultKeyRing, cause: unknown): Error => {
  if (cause instanceof KeyServiceError) return cause
  return new ArchiveRefusal(
    `The vault key in ${source} does not decrypt this backup, so nothing was restored. Use the vault key that was in use when the backup was made (KEY_FILE or VAULT_KEY), or name a copy of it with --vault-key-file. Without that key, the credentials in the backup cannot be decrypted by anyone.`,
    { cause },
  )
}
