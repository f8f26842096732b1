import { hash } from 'node:crypto'

/**
 * Names a secret without telling it: enough to see which token was used or revoked, too short and
 * one-way to be the token.
 */
export function fingerprint(secret: string): string {
  return hash('sha256', secret).slice(0, 12)
}
