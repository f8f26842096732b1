/**
 * The author of a change. For a person who is signed in to the dashboard, `hint` is the name. For an operator at the command line, `id` is
 * the account on the machine and `hint` the machine.
 */
export type Actor = { type: 'api_key' | 'person' | 'operator' | 'system'; id: string; hint: string | null }
/** `user`: a Registered User who decides about a call. */
export type AuditActor = Omit<Actor, 'type'> & { type: Actor['type'] | 'user' }

/** Changes that nobody requested, such as those at the start. */
export const SERVICE_ACTOR: Actor = { type: 'system', id: 'service', hint: null }

/** The origin of a change request, as far as the service can trust it. */
export type Sender = { address: string | null; userAgent: string | null }

export type PlainValue = string | number | boolean | null

/** A changed field. Values are included only for fields that a route declares as never secret. */
export type FieldChange = { field: string; from?: PlainValue; to?: PlainValue }

/**
 * `unknown`: the change may have happened, completely or partly. `denied`: a valid key without the required
 * permission.
 */
export const auditOutcomes = ['done', 'unknown', 'denied'] as const
export type AuditOutcome = (typeof auditOutcomes)[number]

export type AuditedChange = {
  organizationId: string
  /** A noun and an event, such as `tool_pack.updated`. */
  action: string
  target: { type: string; id: string | null }
  registeredUserId: string | null
  actor: AuditActor
  sender: Sender
  requestId: string
  changes: FieldChange[]
}

/** Records changes. `begin` is called before the change, `end` or `drop` before the response. */
export type AuditTrail = {
  begin(change: AuditedChange): Promise<string>
  end(change: AuditedChange, outcome: AuditOutcome, intent?: string): Promise<void>
  /** Nothing was changed, so no entry is written. */
  drop(change: AuditedChange, intent: string): Promise<void>
}
