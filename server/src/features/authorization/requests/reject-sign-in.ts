import type { SignInRejection } from '@carabiner/contract'
import type { Mode } from '../../../core/mode.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { Log } from '../../../platform/log.ts'
import { recordEvent } from '../../events/record-event.ts'
import { IdentityError } from '../settings/identity-error.ts'
import type { StoredSettings } from '../settings/settings-store.ts'
import { requestStore } from './request-store.ts'

type RejectedRequest = {
  organizationId: string
  id: string
  mode: Mode
  toolPackId: string
  clientId: string
  clientName: string
}
type ClaimNames = Pick<StoredSettings, 'issuer' | 'userClaim'>
type Deps = { db: Database; log: Log }

/** Ends a request. The page of the request shows the reason, and the person returns to the client from there. */
export const rejectSignIn = async (
  deps: Deps,
  request: RejectedRequest,
  settings: ClaimNames,
  reason: SignInRejection | IdentityError,
): Promise<void> => {
  const cause = reason instanceof IdentityError ? reason.failure : reason
  const isRejected = await deps.db.transaction(async tx => {
    const isOpen = await requestStore.reject(tx, request, cause)
    if (isOpen) await recordEvent(tx, rejectionEvent(request, settings, reason))
    return isOpen
  })
  if (isRejected) logRejection(deps.log, request, reason)
}

/** The client and the settings, and nothing about the person. */
export const rejectionEvent = (
  { organizationId, mode, toolPackId, clientId, clientName }: Omit<RejectedRequest, 'id'>,
  { issuer, userClaim }: ClaimNames,
  reason: SignInRejection | IdentityError,
) => ({
  organizationId,
  registeredUserId: null,
  mode,
  type: 'client_authorization.rejected' as const,
  payload: {
    cause: reason instanceof IdentityError ? reason.failure : reason,
    client_id: clientId,
    client_name: clientName,
    tool_pack_id: toolPackId,
    issuer,
    user_claim: issuer === null ? null : userClaim,
    provider_error: reason instanceof IdentityError ? reason.providerError : null,
  },
})

export const logRejection = (
  log: Log,
  { organizationId }: Pick<RejectedRequest, 'organizationId'>,
  reason: SignInRejection | IdentityError,
): void => {
  const error = reason instanceof IdentityError ? reason : null
  log.warn(
    {
      organization_id: organizationId,
      reason: error?.failure ?? reason,
      ...(error && { error }),
      ...(error?.providerError && { protocol_error: error.providerError }),
    },
    'a sign-in with an MCP client was rejected',
  )
}
