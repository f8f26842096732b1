import { hashSecret } from '../../../core/hash-secret.ts'
import type { Mode } from '../../../core/mode.ts'
import { hashToken, issueToken, parseToken } from '../../../core/token.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { Signer } from '../../../platform/vault/vault.ts'
import { issuerOf } from '../settings/sign-in-addresses.ts'
import { type RequestKey, requestStore } from './request-store.ts'
import { requestHandle } from './sign-in-secrets.ts'

type Approval = RequestKey & { mode: Mode; registeredUserId: string }

/**
 * The application names the user of a request. Returns the address that continues it, or null if the request has ended or the user is
 * inactive. The secret in the address reaches only the browser that the application has signed in, and works only in the browser that has
 * started: an attacker who sends their own request to a victim has the one, and the victim the other.
 */
export const approveSignIn = async (
  { db, signer, baseUrl }: { db: Database; signer: Signer; baseUrl: string },
  { organizationId, id, mode, registeredUserId }: Approval,
): Promise<string | null> => {
  const key = { organizationId, id }
  const token = issueToken('continueLink', organizationId)
  const isApproved = await requestStore.propose(db, key, {
    mode,
    registeredUserId,
    continueHash: hashToken(token),
  })
  return isApproved
    ? `${issuerOf(baseUrl, organizationId)}/continue/${requestHandle(signer, key)}/${token}`
    : null
}

/** False if the link was used, belongs to another browser, or the request has ended. */
export const continueSignIn = async (
  db: Database,
  key: RequestKey,
  text: string,
  browser: string | null,
): Promise<boolean> => {
  const token = parseToken('continueLink', text)
  if (!token || browser === null) return false
  return requestStore.continue(db, key, { continueHash: hashToken(token), browserHash: hashSecret(browser) })
}
