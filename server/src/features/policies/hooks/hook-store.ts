import type { HookFallback } from '@carabiner/contract'
import { one, type Queryable, type Transaction } from '../../../platform/database/database.ts'
import {
  array,
  bytea,
  double,
  ensured,
  nullable,
  text,
  typed,
  uuid,
  type Values,
} from '../../../platform/database/sql-types.ts'
import { statement } from '../../../platform/database/statement.ts'

const columns = {
  id: uuid,
  url: ensured(text),
  onError: ensured(typed<HookFallback>(text)),
  sealedSecret: ensured(bytea),
  /** Null if the secret was not rotated within the last day. */
  sealedPreviousSecret: nullable(bytea),
}
const COLUMNS = `id, hook_url as url, hook_on_error as on_error, sealed_hook_secret as sealed_secret,
     case when previous_hook_secret_until > app_now() then sealed_previous_hook_secret end as sealed_previous_secret`
export type StoredHook = Values<typeof columns>

const readHooks = statement({
  name: 'policy_hooks.read',
  parameters: { organizationId: uuid, ids: array(uuid) },
  columns,
  sql: `select ${COLUMNS} from policy_rules
   where organization_id = :organizationId and id = any(:ids::uuid[]) and hook_url is not null`,
})
const lockHook = statement({
  name: 'policy_hooks.lock',
  parameters: { organizationId: uuid, id: uuid },
  columns,
  sql: `select ${COLUMNS} from policy_rules
   where organization_id = :organizationId and id = :id and hook_url is not null for no key update`,
})
const rotateSecret = statement({
  name: 'policy_hooks.rotate_secret',
  parameters: {
    organizationId: uuid,
    id: uuid,
    sealedSecret: bytea,
    sealedPrevious: bytea,
    overlapSeconds: double,
  },
  sql: `update policy_rules set sealed_previous_hook_secret = :sealedPrevious, sealed_hook_secret = :sealedSecret,
     previous_hook_secret_until = app_now() + make_interval(secs => :overlapSeconds)
   where organization_id = :organizationId and id = :id and hook_url is not null`,
})

export type NewHookSecrets = { sealedSecret: Buffer; sealedPrevious: Buffer; overlapSeconds: number }

export const policyHookStore = {
  /** Rules without a hook are left out. */
  read: (db: Queryable, organizationId: string, ids: string[]): Promise<StoredHook[]> =>
    db.query(readHooks, { organizationId, ids }),
  lock: (tx: Transaction, organizationId: string, id: string): Promise<StoredHook | null> =>
    one(tx, lockHook, { organizationId, id }),
  rotateSecret: (tx: Transaction, organizationId: string, id: string, secrets: NewHookSecrets) =>
    tx.query(rotateSecret, { organizationId, id, ...secrets }),
}
