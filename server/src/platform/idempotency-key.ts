import { createHmac, hash } from 'node:crypto'
import { MINUTE } from '../core/duration.ts'

/** How long a pending request holds its key. Longer than any request takes. */
export const CLAIM_TTL_MS = 2 * MINUTE

/** Whether the value is a valid idempotency key. */
export const isIdempotencyKey = (key: unknown): key is string =>
  typeof key === 'string' && /^[\x20-\x7e]{1,255}$/.test(key)

/** Only this hash of a key is stored. */
export const hashIdempotencyKey = (key: string): Buffer => hash('sha256', key, 'buffer')

/**
 * Identifies a request. The request may contain a secret, so the fingerprint is keyed with the idempotency key, which
 * is not stored.
 */
export const fingerprintOf = (key: string, request: unknown): Buffer =>
  createHmac('sha256', key).update(JSON.stringify(request)).digest()
