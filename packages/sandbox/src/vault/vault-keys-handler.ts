import type { IncomingMessage, ServerResponse } from 'node:http'
import { isAccountId } from '../accounts.ts'
import { HttpError } from '../http/http-error.ts'
import { readForm } from '../http/read-body.ts'
import { seeOther, sendPage } from '../http/send.ts'
import { vaultKeysPage } from '../pages/vault-keys.ts'
import type { VaultKeys } from './vault-keys.ts'

/** The page with the API keys. It requires no sign-in, because there is no real data. */
export async function handleVaultKeysPage(
  keys: VaultKeys,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  if (req.method !== 'POST') return sendPage(res, 200, vaultKeysPage(keys.snapshot()))
  if (req.headers['sec-fetch-site'] === 'cross-site') {
    throw new HttpError(403, 'forbidden', 'Keys can be changed on their own page only.')
  }
  const form = await readForm(req)
  const account = form.get('account')
  const action = form.get('action')
  if (!isAccountId(account)) throw new HttpError(400, 'invalid_request', 'Unknown account.')
  if (action === 'revoke') keys.revoke(account)
  else if (action === 'renew') keys.renew(account)
  else throw new HttpError(400, 'invalid_request', 'Unknown action.')
  seeOther(res, '/vault/keys')
}
