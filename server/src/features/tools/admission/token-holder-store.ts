import type { Mode } from '../../../core/mode.ts'
import { one, type Queryable } from '../../../platform/database/database.ts'
import { bytea, text, typed, uuid } from '../../../platform/database/sql-types.ts'
import { statement } from '../../../platform/database/statement.ts'

const findHolder = statement({
  name: 'tools.token_holder',
  parameters: { hash: bytea },
  columns: { registeredUserId: uuid, toolPackId: uuid, mode: typed<Mode>(text) },
  sql: 'select registered_user_id, tool_pack_id, mode from token_holders where hash = :hash',
})

export const tokenHolderStore = {
  /** The user, the pack and the mode of an access token. Null if it does not exist any more, or sign-in was turned off. */
  find: (db: Queryable, hash: Buffer) => one(db, findHolder, { hash }),
}
