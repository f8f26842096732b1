import type { EventData } from '@carabiner/contract'
import type { Transaction } from '../../platform/database/database.ts'
import { recordEvent } from '../events/record-event.ts'
import type { StoredApproval } from './approval-store.ts'

type Described = Pick<StoredApproval, 'id' | 'registeredUserId' | 'toolPackId' | 'connectorSlug' | 'tool'>

const subjectOf = ({ id, toolPackId, connectorSlug, tool }: Described) => ({
  approval_id: id,
  tool_pack_id: toolPackId,
  connector_slug: connectorSlug,
  tool,
})

/** The events of an approval, in the transaction of the change. None contains arguments or a link. */
export const approvalEvents = {
  requested: (tx: Transaction, organizationId: string, approval: StoredApproval) =>
    recordEvent(tx, {
      organizationId,
      registeredUserId: approval.registeredUserId,
      type: 'approval.requested',
      payload: { ...subjectOf(approval), expires_at: approval.expiresAt.toISOString() },
    }),
  decided: (
    tx: Transaction,
    organizationId: string,
    approval: StoredApproval,
    decision: EventData<'approval.decided'>['decision'],
  ) =>
    recordEvent(tx, {
      organizationId,
      registeredUserId: approval.registeredUserId,
      type: 'approval.decided',
      payload: { ...subjectOf(approval), decision },
    }),
  executed: (
    tx: Transaction,
    organizationId: string,
    approval: StoredApproval,
    { toolCallId, status }: { toolCallId: string; status: EventData<'approval.executed'>['status'] },
  ) =>
    recordEvent(tx, {
      organizationId,
      registeredUserId: approval.registeredUserId,
      type: 'approval.executed',
      payload: { ...subjectOf(approval), tool_call_id: toolCallId, status },
    }),
  ended: (
    tx: Transaction,
    organizationId: string,
    approval: StoredApproval,
    reason: EventData<'approval.ended'>['reason'],
  ) =>
    recordEvent(tx, {
      organizationId,
      registeredUserId: approval.registeredUserId,
      type: 'approval.ended',
      payload: { ...subjectOf(approval), reason, void_reason: approval.voidReason },
    }),
}
