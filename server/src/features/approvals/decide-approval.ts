import type { ApprovalDecide, ApprovalDecision, ApprovalStatus } from '@carabiner/contract'
import { Refusal } from '../../core/refusal.ts'
import { isUuid } from '../../core/uuid.ts'
import type { Principal } from '../../edge/principal.ts'
import type { Database, Queryable, Transaction } from '../../platform/database/database.ts'
import { userTopic, type WakeUps } from '../../platform/jobs/wake-ups.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import { type VerifiedPasskey, verifyPasskey } from '../members/passkeys/verify-passkey.ts'
import { approvalEvents } from './approval-events.ts'
import { approvalStore, type OfMode, type StoredApproval } from './approval-store.ts'
import {
  canDecide,
  type Decider,
  isSatisfied,
  MEMBERS,
  needsPasskey,
  preventsSelfApproval,
} from './deciders.ts'
import { readApprovalStatus } from './end-approvals.ts'
import { type Remember, rememberApproval } from './grants.ts'
import { keepReceipt } from './receipts/keep-receipt.ts'

type Deps = { db: Database; vault: Vault; wakeUps: WakeUps }
type MemberDeps = Deps & { baseUrl: string }

/** Woken for each decision, for what runs without a connection. */
export const DECISIONS_TOPIC = 'decisions'

export const wakeAfterDecision = (
  wakeUps: WakeUps,
  { registeredUserId }: Pick<StoredApproval, 'registeredUserId'>,
): void => {
  wakeUps.wake(userTopic(registeredUserId))
  wakeUps.wake(DECISIONS_TOPIC)
}

const UNDECIDED: readonly ApprovalStatus[] = ['pending', 'confirming']

/** What an approval can be after the same decision was made before. */
const AFTER: Record<ApprovalDecision, readonly ApprovalStatus[]> = {
  approve: ['pending', 'confirming', 'approved', 'executing', 'done', 'failed', 'unknown'],
  deny: ['denied'],
}

/** `personId`: the member who decides. Null: the user decides. */
export type Decision = {
  decider: Decider
  personId: string | null
  decision: ApprovalDecision
  /** Of the call that the person has seen. */
  digest: Buffer
  reason: string | null
  /** What a user has chosen for calls like this one. */
  remember: Remember | null
  /** Nobody has identified the user: the organization lets anyone with the link decide. */
  byLink?: boolean
  /** The passkey with which a member has signed the digest. */
  passkey?: VerifiedPasskey | null
}

/** Records a member’s decision. The first denial ends the approval, and repeating a decision has no effect. */
export const decideApproval = async (
  deps: MemberDeps,
  principal: Principal,
  id: string,
  given: ApprovalDecide,
): Promise<StoredApproval> => {
  const { decision, approval_digest: digest, reason = null } = given
  const of = placeOf(principal, id)
  const decided = await decideAs(deps, of, {
    decider: MEMBERS,
    personId: principal.actor.id,
    decision,
    digest: Buffer.from(digest, 'hex'),
    reason,
    remember: null,
    passkey: await passkeyFor(deps, principal, id, given),
  })
  if (decided) return decided
  const current = await requireApproval(deps.db, principal, id)
  if (current.digest.toString('hex') !== digest)
    throw new Refusal('invalid_request', {
      param: 'approval_digest',
      message: 'This is not the digest of the approval. Retrieve its call and decide about what it contains.',
    })
  if (!canDecide(current.rules, MEMBERS)) throw new Refusal('approver_mismatch')
  if (decision === 'approve' && (await isOwnCall(deps.db, of, current.rules, principal.actor.id)))
    throw new Refusal('approver_mismatch', {
      message:
        'The call is of a user with your email address, and a rule requires that somebody else approves it.',
    })
  const status = await readApprovalStatus(deps.db, of.organizationId, id)
  if (!status || !AFTER[decision].includes(status)) throw new Refusal('approval_ended')
  return current
}

/** Whether a rule prevents the member from approving, because the call is the member's own. */
const isOwnCall = async (
  db: Queryable,
  of: OfMode,
  rules: StoredApproval['rules'],
  personId: string,
): Promise<boolean> => preventsSelfApproval(rules) && (await approvalStore.isOfUser(db, of, personId))

/** The passkey that has signed the digest, if the approval needs one. A repeated decision is not verified again. */
const passkeyFor = async (
  deps: MemberDeps,
  principal: Principal,
  id: string,
  { decision, approval_digest: digest, assertion }: ApprovalDecide,
): Promise<VerifiedPasskey | null> => {
  if (decision === 'deny') return null
  const { status, rules } = await requireApproval(deps.db, principal, id)
  if (!needsPasskey(rules) || !UNDECIDED.includes(status)) return null
  if (!assertion) throw new Refusal('passkey_required', { param: 'assertion' })
  const challenge = Buffer.from(digest, 'hex')
  return verifyPasskey(deps, { personId: principal.actor.id, challenge, assertion })
}

/** Returns null if the approval has ended, the digest is of another call, or the person may not decide or has decided so before. */
export const decideAs = async (
  { db, vault, wakeUps }: Deps,
  of: OfMode,
  decision: Decision,
): Promise<StoredApproval | null> => {
  const decided = await db.transaction(tx => recordDecision(tx, vault, of, decision))
  if (decided) wakeAfterDecision(wakeUps, decided)
  return decided
}

/** The approval is approved once the decisions satisfy every rule, and denied at once. */
export const recordDecision = async (
  tx: Transaction,
  vault: Vault,
  of: OfMode,
  { decision, digest, reason, remember, passkey = null, ...by }: Decision,
): Promise<StoredApproval | null> => {
  const open = await approvalStore.lockOpen(tx, { ...of, digest })
  if (!open || !canDecide(open.rules, by.decider)) return null
  // An approved call can only be denied from here on.
  if (decision === 'approve' && open.status === 'approved') return null
  if (decision === 'approve' && by.personId && (await isOwnCall(tx, of, open.rules, by.personId))) return null
  const isSigned = decision === 'approve' && by.decider === MEMBERS && needsPasskey(open.rules)
  if (isSigned && !passkey) return null
  const saved = await approvalStore.saveDecision(tx, of, { ...by, decision })
  if (!saved) return null
  if (isSigned && passkey) await keepReceipt(tx, vault.receiptKey, of, { ...saved, passkey })
  const status = decision === 'deny' ? 'denied' : await statusAfter(tx, of, open.rules)
  const decided = await approvalStore.decide(tx, of, { status, reason })
  if (!decided) return null
  await approvalEvents.decided(tx, of.organizationId, decided, decision)
  if (remember) await rememberApproval(tx, vault, of, { approval: decided, decider: by.decider, remember })
  return decided
}

/** The user has approved; the application has to confirm that it was this user. */
export const awaitConfirmation = async (
  tx: Transaction,
  of: OfMode,
  { decider, digest }: Pick<Decision, 'decider' | 'digest'>,
): Promise<boolean> => {
  const open = await approvalStore.lockOpen(tx, { ...of, digest })
  if (!open || open.status === 'approved' || !canDecide(open.rules, decider)) return false
  await approvalStore.decide(tx, of, { status: 'confirming', reason: null })
  return true
}

const statusAfter = async (
  tx: Transaction,
  { organizationId, id }: OfMode,
  rules: StoredApproval['rules'],
): Promise<'approved' | 'pending'> => {
  const decisions = await approvalStore.findDecisions(tx, organizationId, [id])
  const approved = decisions.filter(({ decision }) => decision === 'approve')
  return isSatisfied(rules, approved) ? 'approved' : 'pending'
}

export const withdrawApproval = async (
  { db, wakeUps }: Omit<Deps, 'vault'>,
  principal: Principal,
  id: string,
): Promise<StoredApproval> => {
  const withdrawn = await withdrawOpen({ db, wakeUps }, placeOf(principal, id))
  if (withdrawn) return withdrawn
  const current = await requireApproval(db, principal, id)
  if (current.status !== 'withdrawn') throw new Refusal('approval_ended')
  return current
}

/** Null: it has ended, or its call is made. */
export const withdrawOpen = async (
  { db, wakeUps }: Omit<Deps, 'vault'>,
  of: OfMode,
): Promise<StoredApproval | null> => {
  const withdrawn = await db.transaction(async tx => {
    const changed = await approvalStore.withdraw(tx, of)
    if (changed) await approvalEvents.ended(tx, of.organizationId, changed, 'withdrawn')
    return changed
  })
  if (withdrawn) wakeAfterDecision(wakeUps, withdrawn)
  return withdrawn
}

export const requireApproval = async (
  db: Database,
  principal: Principal,
  id: string,
): Promise<StoredApproval> => {
  const approval = await approvalStore.find(db, placeOf(principal, id))
  if (!approval) throw new Refusal('approval_not_found')
  return approval
}

export const placeOf = ({ organizationId, mode }: Principal, id: string): OfMode => {
  if (!isUuid(id)) throw new Refusal('approval_not_found')
  return { organizationId, mode, id }
}
