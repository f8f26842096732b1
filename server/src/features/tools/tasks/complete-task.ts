import type { Transaction } from '../../../platform/database/database.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import { serializeResult, type ToolResult } from '../results/tool-result.ts'
import { sealResult } from './sealed-task.ts'
import { taskStore } from './task-store.ts'

/** Stores the result of an approved call for the task that waits for it, whoever has made the call. */
export const completeTaskOf = async (
  tx: Transaction,
  vault: Vault,
  { organizationId, id: approvalId }: { organizationId: string; id: string },
  result: ToolResult,
): Promise<void> => {
  const open = await taskStore.findOpen(tx, organizationId, approvalId)
  if (!open) return
  const sealed = await sealResult(vault, { organizationId, ...open }, serializeResult(result), tx)
  await taskStore.complete(tx, { organizationId, id: open.id }, sealed)
}
