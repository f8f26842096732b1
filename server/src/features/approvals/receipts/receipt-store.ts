import type { ApprovalReceipt, CallerType } from '@carabiner/contract'
import type { Mode } from '../../../core/mode.ts'
import { one, type Queryable, type Transaction } from '../../../platform/database/database.ts'
import {
  bytea,
  ensured,
  jsonb,
  nullable,
  text,
  timestamptz,
  typed,
  uuid,
  type Values,
} from '../../../platform/database/sql-types.ts'
import { statement } from '../../../platform/database/statement.ts'

const receipt = typed<ApprovalReceipt>(jsonb)
const ofMode = { organizationId: uuid, mode: typed<Mode>(text), id: uuid }
const OF_MODE = 'a.organization_id = :organizationId and a.mode = :mode and a.id = :id'
const factColumns = {
  digest: bytea,
  registeredUserId: uuid,
  toolPackId: uuid,
  connectorSlug: text,
  tool: text,
  credentialId: nullable(uuid),
  accountLabel: nullable(text),
  callerType: typed<CallerType>(text),
  callerId: text,
  requestedAt: timestamptz,
  organizationName: text,
  personName: text,
  personEmail: text,
}

const findFacts = statement({
  name: 'approval_receipts.find_facts',
  parameters: { ...ofMode, personId: uuid },
  columns: factColumns,
  sql: `select a.digest, a.registered_user_id, a.tool_pack_id, a.connector_slug, a.tool, a.credential_id, a.account_label, a.caller_type, a.caller_id,
     a.requested_at, o.name as organization_name, p.name as person_name, p.email as person_email
   from approvals a join organizations o on o.id = a.organization_id join people p on p.id = :personId where ${OF_MODE}`,
})
const keep = statement({
  name: 'approval_receipts.keep',
  parameters: { organizationId: uuid, id: uuid, personId: uuid, receipt },
  columns: { id: uuid },
  sql: `update approval_decisions set receipt = :receipt
   where organization_id = :organizationId and approval_id = :id and person_id = :personId and decision = 'approve'
   returning approval_id as id`,
})
const find = statement({
  name: 'approval_receipts.find',
  parameters: ofMode,
  columns: { receipt: ensured(receipt) },
  sql: `select d.receipt from approvals a join approval_decisions d on d.organization_id = a.organization_id and d.approval_id = a.id
   where ${OF_MODE} and d.receipt is not null`,
})

type OfMode = Values<typeof ofMode>

export const receiptStore = {
  /** What a receipt states about the call and the person. */
  findFacts: (tx: Transaction, of: OfMode, personId: string) => one(tx, findFacts, { ...of, personId }),
  /** Returns null unless this person has approved. */
  keep: (
    tx: Transaction,
    { organizationId, id }: OfMode,
    signed: { personId: string; receipt: ApprovalReceipt },
  ) => one(tx, keep, { organizationId, id, ...signed }),
  find: async (db: Queryable, of: OfMode): Promise<ApprovalReceipt | null> =>
    (await one(db, find, of))?.receipt ?? null,
}
