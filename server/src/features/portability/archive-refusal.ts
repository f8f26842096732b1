/** The archive cannot be written or imported, and nothing was changed. */
export class ArchiveRefusal extends Error {
  override name = 'ArchiveRefusal'
}

/** The import failed after it had begun. The organization is not served. */
export class ImportFailure extends Error {
  override name = 'ImportFailure'
}
