import type { Database, Queryable, Transaction } from '../../platform/database/database.ts'
import {
  type PendingSecret,
  type RedeemedRow,
  type Redemption,
  type TakenRow,
  waitingSecretStore,
} from './waiting-secret-store.ts'

export type { PendingSecret, Redemption } from './waiting-secret-store.ts'
export type Redeemed = Omit<RedeemedRow, 'position'>

const BATCH = 100

/** Sealed, beside the hash of the code that will redeem it. */
export const storePending = async (tx: Transaction, secret: PendingSecret): Promise<void> => {
  await waitingSecretStore.insert(tx, secret)
}

/** In the order asked; null where there was nothing to redeem, or not yet. */
export const redeemSecrets = async (
  db: Queryable,
  rows: Redemption[],
  tokenRevoking: string[],
): Promise<(Redeemed | null)[]> => {
  const redeemed = await waitingSecretStore.redeem(db, rows, tokenRevoking)
  const byPosition = new Map(redeemed.map(row => [row.position, row]))
  return rows.map((_, index) => byPosition.get(index + 1) ?? null)
}

/** A code that was seen where it should not have been: nobody redeems it any more. */
export const rejectPending = async (
  db: Database,
  organizationId: string,
  codeHash: Buffer,
): Promise<void> => {
  await waitingSecretStore.end(db, organizationId, codeHash, 'code_rejected')
}

/** Takes a secret that waits for something else than a code. The caller holds the user's row and stores the secret again. */
export const takePending = (tx: Transaction, organizationId: string, key: Buffer): Promise<TakenRow | null> =>
  waitingSecretStore.take(tx, organizationId, key)

/** False if the secret was taken or ended before. */
export const endUnchosen = async (tx: Transaction, organizationId: string, key: Buffer): Promise<boolean> =>
  (await waitingSecretStore.end(tx, organizationId, key, 'site_not_chosen')) !== null

/** Codes that nobody redeemed: the secret is destroyed here, and revoked at the third party where it can be. */
export const endOverdueSecrets = async (db: Database): Promise<number> => {
  let count = 0
  for (;;) {
    const [row] = await waitingSecretStore.endOverdue(db, BATCH)
    const ended = row?.ended ?? 0
    count += ended
    if (ended < BATCH) return count
  }
}
