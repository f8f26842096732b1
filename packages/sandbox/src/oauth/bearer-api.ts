import type { IncomingMessage, ServerResponse } from 'node:http'
import { HttpError } from '../http/http-error.ts'
import { sendError, sendJson } from '../http/send.ts'
import type { Ledger, LedgerKind } from '../ledger.ts'
import type { AccessGrant, FindBearer } from './find-bearer.ts'

type Answer = { status: number; body: unknown }
export type Operation<Store> = {
  kind: LedgerKind
  scope?: string
  run(store: Store, access: AccessGrant, req: IncomingMessage, url: URL): Promise<Answer> | Answer
}
/** By method and path. */
export type Operations<Store> = Readonly<Record<string, Operation<Store>>>

type Api<Store> = { company: string; operations: Operations<Store>; store: Store }
type Deps = { findBearer: FindBearer; ledger: Ledger }

/** Serves an API that requires an access token, and for some operations a scope. */
export async function handleBearerApi<Store>(
  { findBearer, ledger }: Deps,
  { company, operations, store }: Api<Store>,
  req: IncomingMessage,
  res: ServerResponse,
  url: URL,
): Promise<void> {
  const operation = operations[`${req.method} ${url.pathname}`]
  if (!operation) return sendError(res, new HttpError(404, 'not_found', `${company} has no such endpoint.`))

  const bearer = await findBearer(req.headers.authorization)
  const access = bearer.state === 'valid' ? bearer : undefined
  const record = (outcome: 'ok' | 'refused', status: number, error?: string) =>
    ledger.record({
      kind: operation.kind,
      account: access?.account ?? null,
      outcome,
      detail: {
        status,
        ...(error ? { error } : {}),
        ...(bearer.state === 'missing' ? {} : { token_fingerprint: bearer.fingerprint }),
      },
    })

  try {
    if (bearer.state === 'revoked')
      throw new HttpError(401, 'access_revoked', 'The user has revoked the access of this app.')
    if (!access) throw new HttpError(401, 'invalid_token', 'The access token is missing, unknown or expired.')
    if (operation.scope && !access.scopes.includes(operation.scope)) {
      throw new HttpError(403, 'insufficient_scope', `This requires the scope ${operation.scope}.`)
    }
    const { status, body } = await operation.run(store, access, req, url)
    record('ok', status)
    sendJson(res, status, body)
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    record('refused', error.status, error.code)
    const realm = company.toLowerCase()
    sendError(res, error, challenge(error, realm, bearer.state === 'missing', operation.scope))
  }
}

/** RFC 6750 §3: a request without a token is challenged without an error code. */
function challenge(
  error: HttpError,
  realm: string,
  tokenMissing: boolean,
  scope?: string,
): Record<string, string> {
  if (error.status !== 401 && error.status !== 403) return {}
  if (tokenMissing) return { 'www-authenticate': `Bearer realm="${realm}"` }
  const needed = error.status === 403 && scope ? `, scope="${scope}"` : ''
  return {
    'www-authenticate': `Bearer error="${error.code}", error_description="${error.message}"${needed}`,
  }
}
