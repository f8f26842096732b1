import { hash } from 'node:crypto'

/** Identifies a secret without revealing it. One-way and short, but sufficient to see which token was used or revoked. */
export function fingerprint(secret: string): string {
  return hash('sha256', secret).slice(0, 12)
}
