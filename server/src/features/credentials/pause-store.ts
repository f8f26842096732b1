import { one, type Queryable } from '../../platform/database/database.ts'
import { bigint, double, ensured, text, timestamptz, uuid } from '../../platform/database/sql-types.ts'
import { statement } from '../../platform/database/statement.ts'

type CredentialKey = { organizationId: string; registeredUserId: string; id: string }
const keyParameters = { organizationId: uuid, registeredUserId: uuid, id: uuid }

const pause = statement({
  name: 'credentials.pause',
  parameters: { ...keyParameters, seconds: double },
  columns: { connectorSlug: text, label: text, pausedUntil: ensured(timestamptz) },
  sql: `update credentials set paused_until = app_now() + make_interval(secs => :seconds)
   where organization_id = :organizationId and registered_user_id = :registeredUserId and id = :id and status <> 'revoked'
   returning connector_slug, label, paused_until`,
})
// A pause that is over is left to the job, which records that it has elapsed.
const resume = statement({
  name: 'credentials.resume',
  parameters: keyParameters,
  columns: { connectorSlug: text, label: text },
  sql: `update credentials set paused_until = null
   where organization_id = :organizationId and registered_user_id = :registeredUserId and id = :id and paused_until > app_now()
   returning connector_slug, label`,
})
const resumeDue = statement({
  name: 'credentials.resume_due',
  parameters: { limit: bigint },
  columns: { resumed: bigint },
  sql: 'select resume_due_credentials(:limit) as resumed',
})

export const pauseStore = {
  /** Returns null if the credential does not exist or is revoked. */
  pause: (tx: Queryable, key: CredentialKey, seconds: number) => one(tx, pause, { ...key, seconds }),
  /** Returns null if the credential is not paused. */
  resume: (tx: Queryable, key: CredentialKey) => one(tx, resume, key),
  resumeDue: async (db: Queryable, limit: number) => (await one(db, resumeDue, { limit }))?.resumed ?? 0,
}
