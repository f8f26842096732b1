import { pendingSecretStore } from '../../server/src/features/credentials/pending-secret-store.ts'
import { mintSessionStore } from '../../server/src/features/link/sessions/mint-session-store.ts'
import { apiKeyStore } from '../../server/src/features/organizations/api-key-store.ts'
import type { Queryable } from '../../server/src/platform/database/database.ts'
import { bind } from '../../server/src/platform/database/statement.ts'
import { numberedCodeSql, USERS, userIdSql } from './seed.ts'

/**
 * The service's own statements as pgbench scripts. The stores are called with SQL expressions instead of values, and the
 * statements that they send are captured, so that the scripts always match the service.
 */
type Expression = string | number | null | Expression[]

const toSql = (value: Expression): string => {
  if (Array.isArray(value)) return `array[${value.map(toSql).join(', ')}]`
  return value === null ? 'null' : String(value)
}

const capture = async (runStatement: (db: Queryable) => Promise<unknown>): Promise<string> => {
  let script = ''
  await runStatement({
    query: async (statement, ...[parameters]) => {
      const values = bind(statement, parameters) as Expression[]
      script = `${statement.text.replace(/\$(\d+)/g, (_, n: string) => toSql(values[Number(n) - 1] ?? null))};\n`
      return []
    },
  })
  return script
}

/** The stores expect a Buffer for bytea parameters. This passes an SQL expression instead. */
const bytes = (expression: string): Buffer => expression as unknown as Buffer
const text = (value: string): string => `'${value}'`
const bytea = (value: Buffer): Buffer => bytes(`'\\x${value.toString('hex')}'::bytea`)

const RANDOM_HASH = bytes('sha256(gen_random_uuid()::text::bytea)')
// Ordered by time like the service's IDs, so that new rows are inserted at the end of an index.
const TIME_ORDERED_UUID = `(lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0')
  || substr(replace(gen_random_uuid()::text, '-', ''), 13))::uuid`

export type KeyOwner = { organizationId: string; keyHash: Buffer }

const lookUpKey = ({ keyHash }: KeyOwner) => capture(db => apiKeyStore.owners(db, [bytea(keyHash)]))

export const mintScript = async (owner: KeyOwner, lifetimeSeconds: number): Promise<string> => {
  const mint = await capture(db =>
    mintSessionStore.mint(
      db,
      [
        {
          organizationId: text(owner.organizationId),
          mode: text('test') as 'test',
          registeredUserId: userIdSql(':user'),
          toolPackId: null,
          connectorSlug: null,
          callbackUrl: null,
          callbackOrigin: null,
          state: null,
          moreScopes: null,
          scopesReason: null,
          tools: null,
          credentialId: null,
          accountChoice: text('ask') as 'ask',
          accountLabel: null,
          sessionId: TIME_ORDERED_UUID,
          secretHash: RANDOM_HASH,
        },
      ],
      lifetimeSeconds,
    ),
  )
  return `\\set user random(0, ${USERS - 1})\n${await lookUpKey(owner)}${mint}`
}

/** `:first` is the number of the first code. Each client redeems every n-th code, where n is the number of clients. */
export const confirmScript = async (owner: KeyOwner, clients: number): Promise<string> => {
  const confirm = await capture(db =>
    pendingSecretStore.redeem(
      db,
      [
        {
          codeHash: bytes(numberedCodeSql(':code')),
          organizationId: text(owner.organizationId),
          mode: text('test') as 'test',
          registeredUserId: null,
          candidateId: TIME_ORDERED_UUID,
        },
      ],
      [],
    ),
  )
  return [
    `\\set code :first + :turn * ${clients} + :client_id`,
    '\\set turn :turn + 1',
    await lookUpKey(owner),
    confirm,
  ].join('\n')
}
