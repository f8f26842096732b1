import type { Queryable } from '../../../platform/database/database.ts'
import { integer, timestamptz, uuid } from '../../../platform/database/sql-types.ts'
import { statement } from '../../../platform/database/statement.ts'
import type { CredentialVersion } from '../credential-store.ts'

// An earlier statement counts from another clock, which may differ.
const noteEnd = statement({
  name: 'credentials.note_end',
  parameters: { organizationId: uuid, credentialId: uuid, version: integer, endsAt: timestamptz },
  sql: `update credentials set ends_at = :endsAt, end_stated_at = app_now()
   where organization_id = :organizationId and id = :credentialId and version = :version and status = 'active'
     and (ends_at is null or ends_at not between :endsAt::timestamptz - interval '1 hour' and :endsAt::timestamptz + interval '1 hour')`,
})

export const statedEndStore = {
  /** Stores when the provider says that a key ends, if that has changed. */
  note: (db: Queryable, { organizationId, credentialId, version }: CredentialVersion, endsAt: Date) =>
    db.query(noteEnd, { organizationId, credentialId, version, endsAt }),
}
