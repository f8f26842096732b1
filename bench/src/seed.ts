import { hash, randomBytes } from 'node:crypto'
import { MINUTE } from '../../server/src/core/duration.ts'
import { hashToken, issueToken } from '../../server/src/core/token.ts'
import { newUuid } from '../../server/src/core/uuid.ts'
import { type Database } from '../../server/src/platform/database/database.ts'
import { plainStatement } from '../../server/test/support/run-sql.ts'

/** Enough users that concurrent callers are different users, as in production. */
export const USERS = 10_000
/** The sealed size of a typical provider's tokens. */
const SEALED_BYTES = 1024
const CHUNK = 5000
const EXISTING_LINKS = 2

const USER_ID_START = '00000000-0000-7000-8000-'
export const userId = (n: number): string => USER_ID_START + n.toString(16).padStart(12, '0')
/** `userId` as an SQL expression. `n` is an SQL expression as well. */
export const userIdSql = (n: string): string =>
  `('${USER_ID_START}' || lpad(to_hex((${n})::bigint), 12, '0'))::uuid`

/** Codes derived from a number, because a pgbench script cannot read them from a list. */
export const numberedCodeSql = (n: string): string => `sha256(('bench' || ${n})::bytea)`
const numberedCodeHash = (n: number): Buffer => hash('sha256', `bench${n}`, 'buffer')

const insertUsers = plainStatement(
  'bench.insert_users',
  `insert into registered_users (organization_id, id, mode, origin_user_id, data_key)
   select $1, ${userIdSql('n')}, 'test', 'bench-' || n, sha256(n::text::bytea) from generate_series(0, $2::integer - 1) n`,
)
// No user has two codes for the same connector, so every code stores a new credential instead of replacing one.
const insertCodes = plainStatement(
  'bench.insert_codes',
  `insert into pending_secrets (organization_id, code_hash, session_id, registered_user_id, mode, session_minted_at, expires_at,
     connector_slug, secret_id, sealed, method, scopes, account, oauth_app)
   select $1, c.code_hash, c.id, ${userIdSql('c.user_number')}, 'test', app_now(), app_now() + interval '1 day', c.connector, c.id, $6,
     'oauth2', '{read,write}', 'ana@example.com', 'bench'
   from unnest($2::uuid[], $3::integer[], $4::text[], $5::bytea[]) as c(id, user_number, connector, code_hash)`,
)

const insertHistory = plainStatement(
  'bench.insert_history',
  `with linked as (
     select u.organization_id, gen_random_uuid() as id, u.id as user_id, 'history-' || n as connector, n
     from registered_users u, generate_series(1, $2::integer) n where u.organization_id = $1
   ), sessions as (
     insert into link_sessions (organization_id, id, registered_user_id, mode, tool_pack_id, secret_hash, expires_at, status,
       completed_at, connector_slug, code_hash, code_expires_at)
     select l.organization_id, l.id, l.user_id, 'test', p.id, sha256(uuid_send(l.id)), app_now(), 'code_issued', app_now(), l.connector,
       sha256(sha256(uuid_send(l.id))), app_now()
     from linked l join tool_packs p on p.organization_id = l.organization_id and p.is_default
   ), stored as (
     insert into credentials (organization_id, id, registered_user_id, connector_slug, status, secret_id, sealed, method, scopes)
     select organization_id, id, user_id, connector, 'active', id, $3, 'oauth2', '{read,write}' from linked
   )
   insert into events (organization_id, registered_user_id, sequence, type, payload)
   select organization_id, user_id, n, 'credential.created', jsonb_build_object('credential_id', id, 'connector_slug', connector) from linked`,
)
const continueSequences = plainStatement(
  'bench.continue_sequences',
  'update registered_users set event_sequence = $2 where organization_id = $1',
)

/** Filling a database takes longer than any statement of the service, especially on a busy disk. */
export const SEED_TIMEOUT_MS = 10 * MINUTE

/** Creates users with existing links, because query plans and performance differ between an empty and a filled database. */
export const seedUsers = async (db: Database, organizationId: string): Promise<void> => {
  await db.query(insertUsers, [organizationId, USERS])
  await db.query(insertHistory, [organizationId, EXISTING_LINKS, randomBytes(SEALED_BYTES)])
  await db.query(continueSequences, [organizationId, EXISTING_LINKS])
}

export type CodeSeed = {
  /** Creates codes that a caller can redeem. */
  issueCodes(count: number): Promise<string[]>
  /** Creates codes derived from consecutive numbers, for pgbench. Returns the first number. */
  issueNumberedCodes(count: number): Promise<number>
}

export const createCodeSeed = (db: Database, organizationId: string): CodeSeed => {
  let issued = 0
  let numbered = 0
  const insert = async (hashes: Buffer[]): Promise<void> => {
    for (let at = 0; at < hashes.length; at += CHUNK) {
      const chunk = hashes.slice(at, at + CHUNK)
      const numbers = chunk.map(() => issued++)
      await db.query(insertCodes, [
        organizationId,
        chunk.map(() => newUuid()),
        numbers.map(n => n % USERS),
        numbers.map(n => `bench-${Math.floor(n / USERS)}`),
        chunk,
        randomBytes(SEALED_BYTES),
      ])
    }
    // Replaces autovacuum, which is off so that it does not run during a measurement.
    for (const table of ['pending_secrets', 'link_sessions', 'registered_users', 'credentials', 'events'])
      await db.script(`vacuum analyze ${table}`)
  }
  return {
    issueCodes: async count => {
      const codes = Array.from({ length: count }, () => issueToken('authorizationCode', organizationId))
      await insert(codes.map(hashToken))
      return codes
    },
    issueNumberedCodes: async count => {
      const first = numbered
      numbered += count
      await insert(Array.from({ length: count }, (_, index) => numberedCodeHash(first + index)))
      return first
    },
  }
}

const countPending = plainStatement<{ count: number }>(
  'bench.count_pending',
  'select count(*) from pending_secrets',
)

export const countPendingCodes = async (db: Database): Promise<number> =>
  (await db.query(countPending, []))[0]?.count ?? 0
