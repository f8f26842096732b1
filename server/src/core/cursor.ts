import { Refusal } from './refusal.ts'
import { isUuid } from './uuid.ts'

const DEFAULT_LIMIT = 50
const MAX_LIMIT = 100

export type PageRequest = { limit: number; after: string | null }

/** Cursors are opaque to callers. They contain the ID of the last row, because IDs are in order of creation. */
export const parsePage = (query: { limit?: string; cursor?: string }): PageRequest => {
  const limit = query.limit === undefined ? DEFAULT_LIMIT : Number(query.limit)
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw new Refusal('invalid_request', {
      param: 'limit',
      message: `"limit" must be a number from 1 to ${MAX_LIMIT}.`,
    })
  }
  if (query.cursor === undefined) return { limit, after: null }
  const after = Buffer.from(query.cursor, 'base64url').toString('latin1')
  if (!isUuid(after)) throw new Refusal('invalid_cursor', { param: 'cursor' })
  return { limit, after }
}

/** `rows` are fetched with `limit + 1`; an extra row means that there is a next page. */
export const toPage = <Row extends { id: string }>(
  rows: Row[],
  limit: number,
): { data: Row[]; next_cursor: string | null } => {
  const data = rows.slice(0, limit)
  const last = data.at(-1)
  return {
    data,
    next_cursor: rows.length > limit && last ? Buffer.from(last.id, 'latin1').toString('base64url') : null,
  }
}
