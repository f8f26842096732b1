import { newUuid } from '../../../core/uuid.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import type { ToolCall } from '../admission/admit-call.ts'
import { sealCall } from './sealed-task.ts'
import { taskStore } from './task-store.ts'

/** `userKey`: wrapped. */
type Awaited = { organizationId: string; approvalId: string; userKey: Buffer }

/** A call that waits for an approval becomes a task. Returns the ID, which is that of an earlier task for a repeat of the call. */
export const createTask = async (
  { db, vault }: { db: Database; vault: Vault },
  call: ToolCall,
  { organizationId, approvalId, userKey }: Awaited,
): Promise<string> => {
  const of = { organizationId, id: newUuid(), registeredUserId: call.registeredUserId, userKey }
  const sealed = await sealCall(vault, of, call)
  const { keyHash } = call
  const created = await taskStore.create(db, { organizationId, id: of.id, approvalId, keyHash, sealed })
  if (!created) throw new Error(`approval ${approvalId} was deleted before its task was created`)
  return created.id
}
