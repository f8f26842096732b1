import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AccountId } from '../accounts.ts'
import { HttpError } from '../http/http-error.ts'
import { sendError, sendJson } from '../http/send.ts'
import type { Ledger, LedgerKind } from '../ledger.ts'
import type { FindBearer } from '../oauth/find-bearer.ts'

type Site = { id: string; name: string; url: string; product: string }

const site = (id: string, name: string, product = 'wiki'): Site => ({
  id,
  name,
  url: `https://${id}.sites.example`,
  product,
})

/** Like some providers, it lists a site once per product. */
const sites: Readonly<Record<AccountId, readonly Site[]>> = {
  ana: [
    site('ruiz-studio', 'Ruiz Studio'),
    site('ruiz-studio', 'Ruiz Studio', 'board'),
    site('harbour-club', 'Harbour Club'),
    site('lisbon-2027', 'Lisbon 2027'),
  ],
  ben: [site('okafor-and-sons', 'Okafor & Sons')],
}

const LIST = '/sites/api/sites'
const PAGES = /^\/sites\/api\/([a-z0-9-]+)\/pages$/

export function sitesCallKind(method: string, pathname: string): LedgerKind | null {
  if (method !== 'GET') return null
  if (pathname === LIST) return 'sites.list'
  return PAGES.test(pathname) ? 'sites.pages' : null
}

/** One account with several sites: every endpoint except the list has the site in its path. */
export async function handleSitesApi(
  { findBearer, ledger }: { findBearer: FindBearer; ledger: Ledger },
  req: IncomingMessage,
  res: ServerResponse,
  pathname: string,
): Promise<void> {
  const kind = sitesCallKind(req.method ?? 'GET', pathname)
  if (!kind) return sendError(res, new HttpError(404, 'not_found', 'Sites has no such endpoint.'))
  const bearer = await findBearer(req.headers.authorization)
  const account = bearer.state === 'valid' ? bearer.account : null
  const id = PAGES.exec(pathname)?.[1] ?? null
  const own = account ? sites[account] : []
  const status = !account ? 401 : id !== null && !own.some(one => one.id === id) ? 404 : 200
  ledger.record({ kind, account, outcome: status === 200 ? 'ok' : 'refused', detail: { status, site: id } })
  if (status === 401)
    return sendError(res, new HttpError(401, 'invalid_token', 'The access token is missing or invalid.'))
  if (status === 404) return sendError(res, new HttpError(404, 'not_found', 'The account has no such site.'))
  sendJson(res, 200, id === null ? own : { site: id, pages: [{ id: 1, title: `Start page of ${id}` }] })
}
