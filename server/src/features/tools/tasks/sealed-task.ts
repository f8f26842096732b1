import type { JsonObject } from '../../../core/json/object.ts'
import type { Database, Queryable } from '../../../platform/database/database.ts'
import { unsealWithAnyKey } from '../../../platform/vault/previous-user-keys.ts'
import { type SealContext, seal } from '../../../platform/vault/sealing.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import type { ToolCall } from '../admission/admit-call.ts'

/** The call of a task, as its client has sent it. */
export type TaskCall = Pick<ToolCall, 'name' | 'args' | 'byCallTool' | 'only' | 'idempotencyKey'> & {
  /** The server’s ID, if it has made a task of the call. */
  serverTaskId?: string
}

/** `userKey`: wrapped. */
export type TaskOf = { organizationId: string; registeredUserId: string; id: string; userKey: Buffer }

type What = 'task-call' | 'task-result'

const contextOf = (what: What, { organizationId, registeredUserId, id }: TaskOf): SealContext => [
  what,
  organizationId,
  registeredUserId,
  id,
]

const sealAs = async (vault: Vault, what: What, of: TaskOf, json: string, through?: Queryable) => {
  const userKey = await vault.openUserKey(of.organizationId, of.registeredUserId, of.userKey, through)
  return seal(userKey, json, contextOf(what, of))
}

/** Also after the user's key was rotated. */
const openAs = async (
  { db, vault }: { db: Database; vault: Vault },
  what: What,
  of: TaskOf,
  sealed: Buffer,
): Promise<string> => {
  const userKey = await vault.openUserKey(of.organizationId, of.registeredUserId, of.userKey)
  const user = { organizationId: of.organizationId, userId: of.registeredUserId, userKey }
  return (await unsealWithAnyKey(db, user, sealed, contextOf(what, of))).toString('utf8')
}

export const sealCall = (
  vault: Vault,
  of: TaskOf,
  { name, args, byCallTool, only, idempotencyKey }: ToolCall,
  serverTaskId?: string,
): Promise<Buffer> => {
  const call: Record<keyof TaskCall, unknown> = { name, args, byCallTool, only, idempotencyKey, serverTaskId }
  return sealAs(vault, 'task-call', of, JSON.stringify(call))
}

export const openCall = async (
  deps: { db: Database; vault: Vault },
  of: TaskOf,
  sealed: Buffer,
): Promise<TaskCall> => JSON.parse(await openAs(deps, 'task-call', of, sealed))

/** `json`: a tool result. */
export const sealResult = (vault: Vault, of: TaskOf, json: string, through?: Queryable): Promise<Buffer> =>
  sealAs(vault, 'task-result', of, json, through)

export const openResult = async (
  deps: { db: Database; vault: Vault },
  of: TaskOf,
  sealed: Buffer,
): Promise<JsonObject> => JSON.parse(await openAs(deps, 'task-result', of, sealed))
