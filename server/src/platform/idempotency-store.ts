import { type Database, one, type Queryable, statement } from './database/database.ts'
import { seal, unseal } from './vault/sealing.ts'
import type { Vault } from './vault/vault.ts'

type Owner = { organizationId: string; mode: string }
type Answer = { status: number; body: string; registeredUserId: string | null; seconds: number }

export type Claim =
  | { kind: 'claimed' }
  | { kind: 'running' }
  | { kind: 'other_request' }
  | { kind: 'answered'; status: number; body: string }

export type IdempotencyStore = {
  claim(owner: Owner, keyHash: Buffer, fingerprint: Buffer, seconds: number): Promise<Claim>
  keep(owner: Owner, keyHash: Buffer, answer: Answer): Promise<void>
  release(owner: Owner, keyHash: Buffer): Promise<void>
}

// Only an expired key can be claimed again, and one of two concurrent requests gets the row.
const claimKey = statement<{ claimed: true }>(
  'idempotency.claim',
  `insert into idempotency_keys (organization_id, mode, key_hash, fingerprint, expires_at)
   values ($1, $2, $3, $4, app_now() + make_interval(secs => $5))
   on conflict (organization_id, mode, key_hash) do update
     set fingerprint = excluded.fingerprint, expires_at = excluded.expires_at, response_status = null, sealed_response = null,
         registered_user_id = null
     where idempotency_keys.expires_at <= app_now()
   returning true as claimed`,
)
const readKey = statement<{
  fingerprint: Buffer
  response_status: number | null
  sealed_response: Buffer | null
}>(
  'idempotency.read',
  'select fingerprint, response_status, sealed_response from idempotency_keys where organization_id = $1 and mode = $2 and key_hash = $3',
)
// The user's row is locked, so that a response is stored entirely before a deletion, which then deletes it, or not at
// all.
const keepAnswer = statement<{ kept: true }>(
  'idempotency.keep',
  `with owner as (select from registered_users where organization_id = $1 and id = $6 for key share)
   update idempotency_keys set response_status = $4, sealed_response = $5, registered_user_id = $6,
     expires_at = app_now() + make_interval(secs => $7)
   where organization_id = $1 and mode = $2 and key_hash = $3 and ($6::uuid is null or exists (select from owner))
   returning true as kept`,
)
const releaseKey = statement<never>(
  'idempotency.release',
  'delete from idempotency_keys where organization_id = $1 and mode = $2 and key_hash = $3 and response_status is null',
)
export const deleteExpiredKeys = statement<never>(
  'idempotency.expire',
  'delete from idempotency_keys where expires_at <= app_now()',
)

const deleteAnswers = statement<never>(
  'idempotency.delete_user',
  'delete from idempotency_keys where organization_id = $1 and registered_user_id = $2',
)

export const deleteIdempotentAnswers = async (
  tx: Queryable,
  organizationId: string,
  registeredUserId: string,
): Promise<void> => {
  await tx.query(deleteAnswers, [organizationId, registeredUserId])
}

export const createIdempotencyStore = (db: Database, vault: Vault): IdempotencyStore => {
  const context = ({ organizationId, mode }: Owner, keyHash: Buffer) =>
    ['idempotent-answer', organizationId, mode, keyHash.toString('hex')] as const

  const release: IdempotencyStore['release'] = async (owner, keyHash) => {
    await db.query(releaseKey, [owner.organizationId, owner.mode, keyHash])
  }

  return {
    claim: async (owner, keyHash, fingerprint, seconds) => {
      const where = [owner.organizationId, owner.mode, keyHash]
      if (await one(db, claimKey, [...where, fingerprint, seconds])) return { kind: 'claimed' }
      const row = await one(db, readKey, where)
      if (!row || (row.fingerprint.equals(fingerprint) && row.response_status === null))
        return { kind: 'running' }
      if (!row.fingerprint.equals(fingerprint)) return { kind: 'other_request' }
      const sealed = row.sealed_response as Buffer
      const key = await vault.organizationKeyOf(owner.organizationId, sealed)
      const body = unseal(key, sealed, context(owner, keyHash)).toString('utf8')
      return { kind: 'answered', status: row.response_status as number, body }
    },
    keep: async (owner, keyHash, { status, body, registeredUserId, seconds }) => {
      const sealed = seal(await vault.organizationKey(owner.organizationId), body, context(owner, keyHash))
      const kept = await one(db, keepAnswer, [
        owner.organizationId,
        owner.mode,
        keyHash,
        status,
        sealed,
        registeredUserId,
        seconds,
      ])
      if (!kept) await release(owner, keyHash)
    },
    release,
  }
}
