import { type Database, one, type Queryable } from './database/database.ts'
import { boolean, bytea, double, integer, nullable, text, typed, uuid } from './database/sql-types.ts'
import { statement } from './database/statement.ts'
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
const claimKey = statement({
  name: 'idempotency.claim',
  parameters: { organizationId: uuid, mode: text, keyHash: bytea, fingerprint: bytea, seconds: double },
  columns: { claimed: typed<true>(boolean) },
  sql: `insert into idempotency_keys (organization_id, mode, key_hash, fingerprint, expires_at)
   values (:organizationId, :mode, :keyHash, :fingerprint, app_now() + make_interval(secs => :seconds))
   on conflict (organization_id, mode, key_hash) do update
     set fingerprint = excluded.fingerprint, expires_at = excluded.expires_at, response_status = null, sealed_response = null,
         registered_user_id = null
     where idempotency_keys.expires_at <= app_now()
   returning true as claimed`,
})
const readKey = statement({
  name: 'idempotency.read',
  parameters: { organizationId: uuid, mode: text, keyHash: bytea },
  columns: { fingerprint: bytea, responseStatus: nullable(integer), sealedResponse: nullable(bytea) },
  sql: `select fingerprint, response_status, sealed_response from idempotency_keys
   where organization_id = :organizationId and mode = :mode and key_hash = :keyHash`,
})
// The user's row is locked, so that a response is stored entirely before a deletion, which then deletes it, or not at
// all.
const keepAnswer = statement({
  name: 'idempotency.keep',
  parameters: {
    organizationId: uuid,
    mode: text,
    keyHash: bytea,
    status: integer,
    sealed: bytea,
    registeredUserId: nullable(uuid),
    seconds: double,
  },
  columns: { kept: typed<true>(boolean) },
  sql: `with owner as (select from registered_users where organization_id = :organizationId
   and id = :registeredUserId for key share)
   update idempotency_keys set response_status = :status, sealed_response = :sealed, registered_user_id = :registeredUserId,
     expires_at = app_now() + make_interval(secs => :seconds)
   where organization_id = :organizationId and mode = :mode and key_hash = :keyHash
     and (:registeredUserId::uuid is null or exists (select from owner))
   returning true as kept`,
})
const releaseKey = statement({
  name: 'idempotency.release',
  parameters: { organizationId: uuid, mode: text, keyHash: bytea },
  sql: `delete from idempotency_keys where organization_id = :organizationId and mode = :mode and key_hash = :keyHash
   and response_status is null`,
})
export const deleteExpiredKeys = statement({
  name: 'idempotency.expire',
  sql: `delete from idempotency_keys where expires_at <= app_now() and organization_id not in (select id from unserved_organizations)`,
})

const deleteAnswers = statement({
  name: 'idempotency.delete_user',
  parameters: { organizationId: uuid, registeredUserId: uuid },
  sql: `delete from idempotency_keys where organization_id = :organizationId and registered_user_id = :registeredUserId`,
})

export const deleteIdempotentAnswers = async (
  tx: Queryable,
  organizationId: string,
  registeredUserId: string,
): Promise<void> => {
  await tx.query(deleteAnswers, { organizationId, registeredUserId })
}

export const createIdempotencyStore = (db: Database, vault: Vault): IdempotencyStore => {
  const context = ({ organizationId, mode }: Owner, keyHash: Buffer) =>
    ['idempotent-answer', organizationId, mode, keyHash.toString('hex')] as const

  const release: IdempotencyStore['release'] = async (owner, keyHash) => {
    await db.query(releaseKey, { organizationId: owner.organizationId, mode: owner.mode, keyHash })
  }

  return {
    claim: async (owner, keyHash, fingerprint, seconds) => {
      const key = { organizationId: owner.organizationId, mode: owner.mode, keyHash }
      if (await one(db, claimKey, { ...key, fingerprint, seconds })) return { kind: 'claimed' }
      const row = await one(db, readKey, key)
      if (!row || (row.fingerprint.equals(fingerprint) && row.responseStatus === null))
        return { kind: 'running' }
      if (!row.fingerprint.equals(fingerprint)) return { kind: 'other_request' }
      const sealed = row.sealedResponse as Buffer
      const vaultKey = await vault.organizationKeyOf(owner.organizationId, sealed)
      const body = unseal(vaultKey, sealed, context(owner, keyHash)).toString('utf8')
      return { kind: 'answered', status: row.responseStatus as number, body }
    },
    keep: async (owner, keyHash, { status, body, registeredUserId, seconds }) => {
      const sealed = seal(await vault.organizationKey(owner.organizationId), body, context(owner, keyHash))
      const kept = await one(db, keepAnswer, {
        organizationId: owner.organizationId,
        mode: owner.mode,
        keyHash,
        status,
        sealed,
        registeredUserId,
        seconds,
      })
      if (!kept) await release(owner, keyHash)
    },
    release,
  }
}
