import type { Database, Queryable, Transaction } from '../../platform/database/database.ts'
import {
  type PendingSecret,
  pendingSecretStore,
  type RedeemedSecret,
  type Redemption,
  type TakenSecret,
} from './pending-secret-store.ts'

export type { PendingSecret, Redemption } from './pending-secret-store.ts'
export type Redeemed = Omit<RedeemedSecret, 'position'>

const BATCH = 100

/** Stores a sealed secret with the hash of the code that redeems it. */
export const storePending = async (tx: Transaction, secret: PendingSecret): Promise<void> => {
  await pendingSecretStore.insert(tx, secret)
}

/** Results are in the order of the redemptions; null if nothing was redeemed, or the redemption must be retried. */
export const redeemSecrets = async (
  db: Queryable,
  rows: Redemption[],
  tokenRevoking: string[],
): Promise<(Redeemed | null)[]> => {
  const redeemed = await pendingSecretStore.redeem(db, rows, tokenRevoking)
  const byPosition = new Map(redeemed.map(secret => [secret.position, secret]))
  return rows.map((_, index) => byPosition.get(index + 1) ?? null)
}

/** Destroys the secret of a leaked code. */
export const rejectPending = async (
  db: Database,
  organizationId: string,
  codeHash: Buffer,
): Promise<void> => {
  await pendingSecretStore.end(db, organizationId, codeHash, 'code_rejected')
}

/**
 * Takes a secret that is pending for another reason than a code. The caller must hold the lock of the user's row and store the
 * secret again.
 */
export const takePending = (
  tx: Transaction,
  organizationId: string,
  key: Buffer,
): Promise<TakenSecret | null> => pendingSecretStore.take(tx, organizationId, key)

/** Returns false if the secret was already taken or destroyed. */
export const rejectUnchosen = async (
  tx: Transaction,
  organizationId: string,
  key: Buffer,
): Promise<boolean> => (await pendingSecretStore.end(tx, organizationId, key, 'choice_not_made')) !== null

/** Destroys the secrets of expired codes, and revokes them at the provider if possible. */
export const endOverdueSecrets = async (db: Database): Promise<number> => {
  let count = 0
  for (;;) {
    const [result] = await pendingSecretStore.endOverdue(db, BATCH)
    const ended = result?.ended ?? 0
    count += ended
    if (ended < BATCH) return count
  }
}
