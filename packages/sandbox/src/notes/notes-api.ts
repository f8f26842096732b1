import { accounts } from '../accounts.ts'
import { HttpError } from '../http/http-error.ts'
import { readJsonObject } from '../http/read-body.ts'
import type { Operations } from '../oauth/bearer-api.ts'
import type { NotesStore } from './notes-store.ts'

export const notesOperations: Operations<NotesStore> = {
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
