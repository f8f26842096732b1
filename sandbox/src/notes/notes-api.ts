import type { IncomingMessage, ServerResponse } from 'node:http'
import { accounts } from '../accounts.ts'
import { HttpError } from '../http/http-error.ts'
import { readJsonObject } from '../http/read-body.ts'
import { sendError, sendJson } from '../http/send.ts'
import type { Ledger, LedgerKind } from '../ledger.ts'
import type { AccessGrant, FindBearer } from '../oauth/find-bearer.ts'
import type { NotesStore } from './notes-store.ts'

type Answer = { status: number; body: unknown }
type Operation = {
  kind: LedgerKind
  scope?: string
  run(notes: NotesStore, access: AccessGrant, req: IncomingMessage, url: URL): Promise<Answer> | Answer
}

const operations: Record<string, Operation> = {
  'GET /notes/api/me': {
    kind: 'notes.me',
    run: (_notes, { account }) => {
      const { id, email, name } = accounts[account]
      return { status: 200, body: { id, email, name } }
    },
  },
  'GET /notes/api/notes': {
    kind: 'notes.list',
    scope: 'notes:read',
    run: (notes, { account }, _req, url) => {
      const query = url.searchParams.get('query') ?? ''
      return { status: 200, body: { notes: notes.list(account, query, parseLimit(url)) } }
    },
  },
  'POST /notes/api/notes': {
    kind: 'notes.create',
    scope: 'notes:write',
    run: async (notes, { account }, req) => {
      const draft = parseDraft(await readJsonObject(req))
      const key = req.headers['idempotency-key']
      return { status: 201, body: notes.create(account, draft, typeof key === 'string' ? key : null) }
    },
  },
}

/** The ledger kind of a request to the Notes API, or null. */
export function notesCallKind(method: string, pathname: string): LedgerKind | null {
  return operations[`${method} ${pathname}`]?.kind ?? null
}

export async function handleNotesApi(
  { notes, findBearer, ledger }: { notes: NotesStore; findBearer: FindBearer; ledger: Ledger },
  req: IncomingMessage,
  res: ServerResponse,
  url: URL,
): Promise<void> {
  const operation = operations[`${req.method} ${url.pathname}`]
  if (!operation) return sendError(res, new HttpError(404, 'not_found', 'Notes has no such endpoint.'))

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
    if (!access) throw new HttpError(401, 'invalid_token', 'The access token is missing, unknown or expired.')
    if (operation.scope && !access.scopes.includes(operation.scope)) {
      throw new HttpError(403, 'insufficient_scope', `This requires the scope ${operation.scope}.`)
    }
    const { status, body } = await operation.run(notes, access, req, url)
    record('ok', status)
    sendJson(res, status, body)
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    record('refused', error.status, error.code)
    sendError(res, error, challenge(error, bearer.state === 'missing', operation.scope))
  }
}

/** RFC 6750 §3: a request without a token is challenged without an error code. */
function challenge(error: HttpError, tokenMissing: boolean, scope?: string): Record<string, string> {
  if (error.status !== 401 && error.status !== 403) return {}
  if (tokenMissing) return { 'www-authenticate': 'Bearer realm="notes"' }
  const needed = error.status === 403 && scope ? `, scope="${scope}"` : ''
  return {
    'www-authenticate': `Bearer error="${error.code}", error_description="${error.message}"${needed}`,
  }
}

function parseLimit(url: URL): number {
  const limit = Number(url.searchParams.get('limit') ?? 20)
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) {
    throw new HttpError(400, 'invalid_request', 'limit must be a whole number from 1 to 100.')
  }
  return limit
}

function parseDraft({ title, text }: Record<string, unknown>): { title: string; text: string } {
  if (typeof title !== 'string' || title.trim() === '' || title.length > 200) {
    throw new HttpError(400, 'invalid_request', 'title must be text of 1 to 200 characters.')
  }
  if (typeof text !== 'string' || text.length > 20_000) {
    throw new HttpError(400, 'invalid_request', 'text must be text of at most 20000 characters.')
  }
  return { title, text }
}
