import { createHmac, hash } from 'node:crypto'

/** What a caller may name a request by, to be able to send it again. */
export const isIdempotencyKey = (key: unknown): key is string =>
  typeof key === 'string' && /^[\x20-\x7e]{1,255}$/.test(key)

/** All that is stored of a key. */
export const hashIdempotencyKey = (key: string): Buffer => hash('sha256', key, 'buffer')

/** Tells one request from another. It may hold a secret: its mark is keyed by what is not stored. */
export const fingerprintOf = (key: string, request: unknown): Buffer =>
  createHmac('sha256', key).update(JSON.stringify(request)).digest()
