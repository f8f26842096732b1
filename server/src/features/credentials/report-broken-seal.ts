import { Refusal } from '../../core/refusal.ts'
import type { Log } from '../../platform/log.ts'
import { SealBroken } from '../../platform/vault/sealing.ts'

export type SecretLocation = {
  organizationId: string
  registeredUserId: string
  /** Null: the user's data key. */
  connectorSlug: string | null
  credentialId?: string
}

/** The user is null for the token of a deleted user that is pending revocation. */
type ReportedLocation = Omit<SecretLocation, 'registeredUserId'> & { registeredUserId: string | null }

/**
 * A sealed secret that cannot be decrypted was modified, moved or restored by someone with write access to the database, or
 * its key is lost. The location is logged for the operator; the caller gets an internal error, because linking again does
 * not fix it.
 */
export const reportBrokenSeal = (log: Log, location: ReportedLocation, error: unknown): unknown => {
  if (!(error instanceof SealBroken)) return error
  log.error(
    {
      alert: 'sealed_secret_does_not_open',
      organization_id: location.organizationId,
      registered_user_id: location.registeredUserId,
      connector: location.connectorSlug,
      credential_id: location.credentialId,
      error,
    },
    'a sealed secret cannot be decrypted',
  )
  return new Refusal('internal_error', {
    message:
      'The stored credential cannot be decrypted. The operator has been notified. Include the request ID when you contact support.',
    cause: error,
  })
}
