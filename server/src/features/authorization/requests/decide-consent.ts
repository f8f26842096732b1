import type { SignInRejection } from '@carabiner/contract'
import { hashSecret } from '../../../core/hash-secret.ts'
import type { Database } from '../../../platform/database/database.ts'
import { allowClient } from '../grants/issue-tokens.ts'
import { DENIED_BY_USER, REJECTIONS } from './rejection.ts'
import { type RequestKey, requestStore } from './request-store.ts'
import { codeAddress, errorAddress } from './response-address.ts'

/** `rejection`: why the page has not offered to allow the client. */
type Decision = { isAllowed: boolean; rejection: SignInRejection | null }

/**
 * The decision of the person on the consent page; on the page of a rejected request, the person only returns to the client. Returns the
 * address of the client, or null if the request has ended.
 */
export const decide = (
  { db, baseUrl }: { db: Database; baseUrl: string },
  key: RequestKey,
  browser: string,
  { isAllowed, rejection: known }: Decision,
): Promise<string | null> =>
  db.transaction(async tx => {
    const request = await requestStore.take(tx, key, hashSecret(browser))
    if (!request) return null
    const { registeredUserId } = request
    const rejection = request.rejection ?? known
    const response = { ...request, organizationId: key.organizationId }
    if (rejection !== null) return errorAddress(baseUrl, response, REJECTIONS[rejection].error)
    if (!isAllowed || registeredUserId === null) return errorAddress(baseUrl, response, DENIED_BY_USER)
    const code = await allowClient(tx, { ...key, registeredUserId }, request)
    return code
      ? codeAddress(baseUrl, response, code.reveal())
      : errorAddress(baseUrl, response, REJECTIONS.user_inactive.error)
  })
