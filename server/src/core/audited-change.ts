/** Who made a change. An operator is named by the account on the machine, and the machine by `hint`. */
export type Actor = { type: 'api_key' | 'operator' | 'system'; id: string; hint: string | null }

/** Where a change was asked from, as far as the service trusts what it was told. */
export type Sender = { address: string | null; userAgent: string | null }

export type PlainValue = string | number | boolean | null

/** A field that changed. Values are there only for fields that a route names as never secret. */
export type FieldChange = { field: string; from?: PlainValue; to?: PlainValue }

/** `unknown`: it may have happened, wholly or in part. `denied`: a known key that lacks the right. */
export const auditOutcomes = ['done', 'unknown', 'denied'] as const
export type AuditOutcome = (typeof auditOutcomes)[number]

export type AuditedChange = {
  organizationId: string
  /** `tool_pack.updated`: a noun and what happened to it. */
  action: string
  target: { type: string; id: string | null }
  registeredUserId: string | null
  actor: Actor
  sender: Sender
  requestId: string
  changes: FieldChange[]
}

/** What the doors write down changes with. `begin` comes before the change, `end` or `drop` before the answer. */
export type AuditTrail = {
  begin(change: AuditedChange): Promise<string>
  end(change: AuditedChange, outcome: AuditOutcome, intent?: string): Promise<void>
  /** Nothing was changed, and so nothing is told. */
  drop(intent: string): Promise<void>
}
