/** The part of the service that the command line uses, in addition to `connector-files.ts`. */
export type { AuditedChange } from './core/audited-change.ts'
export type { OrganizationState } from './core/organization-state.ts'
export { randomBase62 } from './core/token.ts'
export { BACKUP, type BackupHeader } from './features/backups/backup-format.ts'
export { checkBackup } from './features/backups/check-backup.ts'
export { finishRestore, openRestored } from './features/backups/finish-restore.ts'
export { restoreRows } from './features/backups/restore-backup.ts'
export { requireNoUnfinishedRestore } from './features/backups/unfinished-restore.ts'
export { writeBackup } from './features/backups/write-backup.ts'
export { countLinkedAccounts } from './features/credentials/revoke-organization.ts'
export { rotateKeys, type VaultKeySource } from './features/credentials/rotation/rotate-keys.ts'
export type { Progress } from './features/credentials/rotation/rotate-progress.ts'
export type { Finding } from './features/diagnostics/checks/finding.ts'
export { examine, invalidSettings } from './features/diagnostics/doctor.ts'
export { createSupportBundle } from './features/diagnostics/support-bundle.ts'
export { SERVICE_CHAIN } from './features/events/audit-chain.ts'
export { type ListedEntry, listEntries } from './features/events/audit-list.ts'
export { createAuditTrail, recordChange } from './features/events/audit-trail.ts'
export {
  type BreakKind,
  type KnownHead,
  listChains,
  type Verdict,
  verifyChain,
} from './features/events/audit-verify.ts'
export { addPerson } from './features/members/add-person.ts'
export { type Author, createOrganization } from './features/organizations/create-organization.ts'
export { revokeDevelopmentKeys } from './features/organizations/end-api-keys.ts'
export { type ListedOrganization, organizationStore } from './features/organizations/organization-store.ts'
export { regenerateProductionKey } from './features/organizations/replace-api-key.ts'
export { activateOrganization, suspendOrganization } from './features/organizations/suspend-organization.ts'
export { deleteOrganization, describeDeletion } from './features/portability/delete-organization.ts'
export { exportOrganization, type RowProgress } from './features/portability/export-organization.ts'
export { importOrganization } from './features/portability/import-organization.ts'
export type { Installation } from './features/portability/moving/move.ts'
export { type MoveResult, moveOrganization } from './features/portability/moving/move-organization.ts'
export { abortMove } from './features/portability/moving/undo-move.ts'
export { openOrganizationArchive } from './features/portability/organization-archive.ts'
export { replayTombstones } from './features/registered-users/delete-user.ts'
export { archiveFileSource, type WriteBytes, writeArchiveFile } from './platform/archive/archive-file.ts'
export {
  createArchiveKey,
  parseArchiveKey,
  readArchiveKey,
  writeArchiveKey,
} from './platform/archive/archive-key.ts'
export { openArchive, verifyArchive } from './platform/archive/archive-reader.ts'
export { ArchiveRefusal, ImportFailure } from './platform/archive/archive-refusal.ts'
export { CELL_NAME, type CellMap, formatCellMap } from './platform/cell-map.ts'
export { openCells } from './platform/cells.ts'
export { type Config, readConfig } from './platform/config.ts'
export type { Database } from './platform/database/database.ts'
export { knownSchemaVersion, migrate, readSchemaVersion } from './platform/database/migrate.ts'
export { describeMigrationProgress, type MigrationProgress } from './platform/database/migration-locks.ts'
export { openDatabase, openDirectDatabase } from './platform/database/open-database.ts'
export { createLog } from './platform/log.ts'
export { readTombstones, type Tombstone } from './platform/tombstone-log.ts'
export { type PublicKey, parsePublicKey } from './platform/vault/installation-key.ts'
export { generateVaultKey, parseVaultKey, type Strength, VaultKeyError } from './platform/vault/key.ts'
export {
  addVaultKey,
  dropOlderVaultKeys,
  readVaultKeyFile,
  writeVaultKeyFile,
} from './platform/vault/key-file.ts'
export { fixedKeyRing, type VaultKeyRing } from './platform/vault/key-ring.ts'
export { openExistingKeyRing, openKeyRing, openVaultFor } from './platform/vault/open-vault.ts'
export { joinKeyRings } from './platform/vault/rewrap.ts'
export { lockVaultKey } from './platform/vault/rotation.ts'
export type { DataKey } from './platform/vault/sealing.ts'
export { shareSigningKey } from './platform/vault/share-signing-key.ts'
export { hasVaultSecrets, type Signer, type Vault } from './platform/vault/vault.ts'
export { VERSION } from './service.ts'
