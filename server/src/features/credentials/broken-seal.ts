import { Refusal } from '../../core/refusal.ts'
import type { Log } from '../../platform/log.ts'
import { SealBroken } from '../../platform/vault/sealing.ts'

export type SealedPlace = {
  organizationId: string
  registeredUserId: string
  /** Null: it is the user's own key. */
  connectorSlug: string | null
  credentialId?: string
}

/** Without a user: the token of a deleted one, which waits for its revocation. */
type ReportedPlace = Omit<SealedPlace, 'registeredUserId'> & { registeredUserId: string | null }

/**
 * A sealed secret that does not open was changed, moved or put back by somebody who can write to the database, or its key
 * is lost. Whoever runs the service is told where; the caller, that it is no matter of linking.
 */
export const reportBrokenSeal = (log: Log, place: ReportedPlace, error: unknown): unknown => {
  if (!(error instanceof SealBroken)) return error
  log.error(
    {
      alert: 'sealed_secret_does_not_open',
      organization_id: place.organizationId,
      registered_user_id: place.registeredUserId,
      connector: place.connectorSlug,
      credential_id: place.credentialId,
      error,
    },
    'a sealed secret does not open',
  )
  return new Refusal('internal_error', {
    message:
      'The stored credential cannot be opened, and the operator of this service has been told. Quote the request id to have it looked up.',
    cause: error,
  })
}
