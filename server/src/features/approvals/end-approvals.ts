import type { ApprovalStatus, ApprovalVoidReason, executionEnds } from '@carabiner/contract'
import type { Database, Queryable, Transaction } from '../../platform/database/database.ts'
import { approvalEvents } from './approval-events.ts'
import { approvalStore, type StoredApproval } from './approval-store.ts'

const BATCH = 100

export const OPEN_STATUSES: readonly ApprovalStatus[] = ['pending', 'confirming', 'approved']

export type ExecutionEnd = (typeof executionEnds)[number]

/** Ends the user's approvals that have expired, or whose ground has changed. The user's row is locked. */
export const endDue = async (
  tx: Transaction,
  organizationId: string,
  registeredUserId: string,
): Promise<void> => {
  for (const approval of await approvalStore.endDueOfUser(tx, organizationId, registeredUserId))
    await approvalEvents.ended(tx, organizationId, approval, approval.status === 'void' ? 'void' : 'expired')
}

/** Null: it was deleted with its user. An approval that is over may not have ended yet. */
export const readApprovalStatus = async (
  db: Queryable,
  organizationId: string,
  id: string,
): Promise<ApprovalStatus | null> => {
  const row = await approvalStore.readStatus(db, organizationId, id)
  return row?.status ?? null
}

/** The call of an approval has ended. `together`: what has to be stored in the same transaction. */
export const finishApproval = (
  db: Database,
  { organizationId, id }: { organizationId: string; id: string },
  status: ExecutionEnd,
  together: (tx: Transaction) => Promise<void> = async () => undefined,
): Promise<StoredApproval | null> =>
  db.transaction(async tx => {
    const finished = await approvalStore.finish(tx, organizationId, id, status)
    if (finished) await together(tx)
    if (finished?.toolCallId)
      await approvalEvents.executed(tx, organizationId, finished, { toolCallId: finished.toolCallId, status })
    return finished
  })

/** Ends an approval that must not be used: what people have seen or decided does not apply any more. */
export const voidApproval = async (
  tx: Transaction,
  {
    isTaken = false,
    ...of
  }: { organizationId: string; id: string; reason: ApprovalVoidReason; isTaken?: boolean },
): Promise<void> => {
  const ended = await approvalStore.void(tx, { ...of, isTaken })
  if (ended) await approvalEvents.ended(tx, of.organizationId, ended, 'void')
}

/** Makes open approvals void whose tool is another one since connector files were deployed. `hashOf`: null if there is no such tool. */
export const voidChangedTools = async (
  db: Database,
  hashOf: (connectorSlug: string, tool: string) => string | null,
): Promise<void> => {
  for (const asked of await approvalStore.findOpenFileTools(db))
    if (hashOf(asked.connectorSlug, asked.tool) !== asked.hash) await approvalStore.voidFileTool(db, asked)
}

/** Ends approvals whose time is over, and those whose process has died during the call. */
export const endApprovals = async (db: Database): Promise<void> => {
  for (const { organizationId, registeredUserId } of await approvalStore.findDue(db, BATCH))
    await db.transaction(async tx => {
      await approvalStore.lockUser(tx, organizationId, registeredUserId)
      await endDue(tx, organizationId, registeredUserId)
    })
  for (const abandoned of await approvalStore.findAbandoned(db, BATCH))
    await finishApproval(db, abandoned, 'unknown')
}
