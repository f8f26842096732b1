import type { IncomingMessage, ServerResponse } from 'node:http'
import { isAccountId } from '../accounts.ts'
import { type Faults, parseFault } from '../faults.ts'
import { fingerprint } from '../fingerprint.ts'
import { HttpError } from '../http/http-error.ts'
import { readJsonObject } from '../http/read-body.ts'
import { sendJson } from '../http/send.ts'
import type { Ledger } from '../ledger.ts'
import { listGrants } from '../oauth/list-grants.ts'
import type { GrantChoice, OAuthStore } from '../oauth/oauth-store.ts'
import type { VaultKeys } from '../vault/vault-keys.ts'

export type ControlDeps = { faults: Faults; ledger: Ledger; store: OAuthStore; vaultKeys: VaultKeys }

/** Control endpoints for tests and the demo. Real providers have none; they are available on loopback only. */
export async function handleControl(
  deps: ControlDeps,
  req: IncomingMessage,
  res: ServerResponse,
  url: URL,
): Promise<void> {
  if (!isLoopback(req.socket.remoteAddress))
    throw new HttpError(403, 'forbidden', 'Only available on loopback.')
  // A web page may post plain text to any origin, but JSON needs a CORS preflight.
  if (req.method === 'POST' && !req.headers['content-type']?.startsWith('application/json')) {
    throw new HttpError(415, 'unsupported_media_type', 'Send application/json.')
  }
  const answer = await answerControl(deps, req, url)
  if (answer === undefined) throw new HttpError(404, 'not_found', 'Unknown control endpoint.')
  sendJson(res, 200, answer)
}

async function answerControl(deps: ControlDeps, req: IncomingMessage, url: URL): Promise<unknown> {
  const { faults, ledger, store, vaultKeys } = deps
  switch (`${req.method} ${url.pathname}`) {
    case 'GET /_control/faults':
      return { faults: faults.waiting() }
    case 'POST /_control/faults': {
      const id = faults.script(parseFault(await readJsonObject(req)))
      return { id, faults: faults.waiting() }
    }
    case 'DELETE /_control/faults': {
      const id = url.searchParams.get('id')
      faults.clear(id === null ? undefined : Number(id))
      return { faults: faults.waiting() }
    }
    case 'GET /_control/ledger': {
      const kind = url.searchParams.get('kind')
      return { entries: ledger.entries.filter(entry => kind === null || entry.kind === kind) }
    }
    case 'DELETE /_control/ledger':
      ledger.clear()
      return { entries: [] }
    case 'GET /_control/grants':
      return { grants: listGrants(store) }
    case 'DELETE /_control/grants':
      store.endGrants(chooseGrants(url))
      return { grants: listGrants(store) }
    case 'POST /_control/grants/reject':
      store.rejectGrants(chooseGrants(url))
      return { grants: listGrants(store) }
    case 'DELETE /_control/access-tokens':
      store.endAccessTokens(chooseGrants(url))
      return { grants: listGrants(store) }
    case 'GET /_control/vault-keys':
      return { vault_keys: vaultKeys.snapshot() }
    case 'POST /_control/vault-keys/revoke': {
      const { account } = await readJsonObject(req)
      if (!isAccountId(account)) throw new HttpError(400, 'invalid_request', 'account must be ana or ben.')
      vaultKeys.revoke(account)
      return { account, revoked: true }
    }
    case 'POST /_control/vault-keys/renew': {
      const { account } = await readJsonObject(req)
      if (!isAccountId(account)) throw new HttpError(400, 'invalid_request', 'account must be ana or ben.')
      vaultKeys.renew(account)
      return { account, revoked: false }
    }
    default:
      return undefined
  }
}

/** `?grant=` selects one grant by its public ID. Default: all grants. */
function chooseGrants(url: URL): GrantChoice {
  const wanted = url.searchParams.get('grant')
  return id => wanted === null || fingerprint(id) === wanted
}

function isLoopback(address: string | undefined): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address ?? '')
}
