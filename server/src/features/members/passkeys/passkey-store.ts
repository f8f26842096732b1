import { one, type Queryable, type Transaction } from '../../../platform/database/database.ts'
import { bigint, nullable, text, uuid, type Values } from '../../../platform/database/sql-types.ts'
import { statement } from '../../../platform/database/statement.ts'

const columns = {
  id: uuid,
  credentialId: text,
  /** COSE, as base64. */
  publicKey: text,
  counter: bigint,
  /** Separated by commas. */
  transports: nullable(text),
}
export type StoredPasskey = Values<typeof columns>
const COLUMNS = 'id, credential_id, public_key, counter, transports'

const list = statement({
  name: 'people_passkeys.list',
  parameters: { personId: uuid },
  columns,
  sql: `select ${COLUMNS} from people_passkeys where user_id = :personId order by created_at, id limit 100`,
})
const find = statement({
  name: 'people_passkeys.find',
  parameters: { personId: uuid, credentialId: text },
  columns,
  sql: `select ${COLUMNS} from people_passkeys where user_id = :personId and credential_id = :credentialId`,
})
/** Web Authentication Level 3, §7.2: a counter that does not grow belongs to a copy, unless the passkey does not count. */
const advance = statement({
  name: 'people_passkeys.advance',
  parameters: { id: uuid, counter: bigint },
  columns: { id: uuid },
  sql: `update people_passkeys set counter = :counter where id = :id and (counter < :counter or counter = 0 and :counter = 0)
   returning id`,
})

/** better-auth adds and removes passkeys. */
export const passkeyStore = {
  list: (db: Queryable, personId: string): Promise<StoredPasskey[]> => db.query(list, { personId }),
  find: (db: Queryable, personId: string, credentialId: string): Promise<StoredPasskey | null> =>
    one(db, find, { personId, credentialId }),
  /** False if the counter was used before. */
  advance: async (tx: Transaction, id: string, counter: number): Promise<boolean> =>
    (await one(tx, advance, { id, counter })) !== null,
}
