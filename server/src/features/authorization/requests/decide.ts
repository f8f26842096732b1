import type { Database } from '../../../platform/database/database.ts'
import { hashSecret } from '../../link/sessions/hash-secret.ts'
import { allowClient } from '../grants/issue-tokens.ts'
import { codeAddress, errorAddress } from './begin-sign-in.ts'
import { type RequestKey, requestStore } from './request-store.ts'

/** The decision of the person on the consent page. Returns the address of the client, or null if the request has ended. */
export const decide = (
  { db, baseUrl }: { db: Database; baseUrl: string },
  key: RequestKey,
  browser: string,
  isAllowed: boolean,
): Promise<string | null> =>
  db.transaction(async tx => {
    const request = await requestStore.take(tx, key, hashSecret(browser))
    if (!request) return null
    const response = { ...request, organizationId: key.organizationId }
    const code = isAllowed ? await allowClient(tx, response, request) : null
    return code
      ? codeAddress(baseUrl, response, code.reveal())
      : errorAddress(baseUrl, response, 'access_denied')
  })
