/** An archive or a backup cannot be written or read, and nothing was changed. */
export class ArchiveRefusal extends Error {
  override name = 'ArchiveRefusal'
}

/** An import or a restore failed after it had begun. The rows are not served. */
export class ImportFailure extends Error {
  override name = 'ImportFailure'
}
