import { type ApprovalPreview, approvalBounds } from '@carabiner/contract'
import { randomBytes } from '../../core/random-bytes.ts'
import { Refusal } from '../../core/refusal.ts'
import { newUuid } from '../../core/uuid.ts'
import type { Database, Queryable, Transaction } from '../../platform/database/database.ts'
import type { DataKey } from '../../platform/vault/sealing.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import { approvalEvents } from './approval-events.ts'
import { approvalStore, type NewApproval, type OfCall, type StoredApproval } from './approval-store.ts'
import { type AskingRule, implies, isSatisfied } from './deciders.ts'
import { endDue, finishApproval, voidApproval } from './end-approvals.ts'
import {
  digestOfApproval,
  digestOfCall,
  type FrozenCall,
  openApproval,
  type Shown,
  sealApproval,
} from './frozen-call.ts'
import { takeGrant } from './grants.ts'
import { isUnchanged } from './preview.ts'

type Deps = { db: Database; vault: Vault }

export type ApprovalRequest = {
  call: FrozenCall
  shown: Omit<Shown, 'preview'>
  /** Reads at the provider what the arguments refer to. Null: the tool has no preview. */
  preview: (() => Promise<ApprovalPreview[]>) | null
  accountLabel: string | null
  /** Null: the tool is not of a connector file, which a deployment can change. */
  fileToolHash: string | null
  rules: readonly AskingRule[]
  /** The record of the call. */
  callId: string
  /** A call with an idempotency key is not the same call as one without. */
  idempotencyKey: string | null
  /** For how long a task waits for the decision. Null: a connection waits, or nobody does. */
  taskHours: number | null
  /** The user's own key, wrapped. */
  userKey: Buffer
}

export type ApprovalAnswer =
  /** The call may run, once: the caller has taken the approval and must finish it. */
  | { kind: 'taken'; id: string }
  /** The same call was approved and carried out a short time ago. */
  | { kind: 'used'; toolCallId: string }
  | { kind: 'waiting'; approval: WaitingApproval }

export type WaitingApproval = Pick<StoredApproval, 'id' | 'expiresAt' | 'rules'>

/**
 * Takes the approval of the call if it has one, or uses one that the user wants to be remembered; otherwise joins the request that is waiting for a
 * decision, or makes one.
 */
export const requestApproval = async (deps: Deps, request: ApprovalRequest): Promise<ApprovalAnswer> => {
  const { call, callId } = request
  const { organizationId, registeredUserId } = call
  const digest = digestOfCall(call)
  const same = sameCall(deps.vault, request, digest)
  const userKey = await deps.vault.openUserKey(organizationId, registeredUserId, request.userKey)
  // It is read outside of a transaction, and only if the call asks for the first time.
  let preview: ApprovalPreview[] | null = request.preview ? null : []
  for (;;) {
    const taken = await approvalStore.take(deps.db, { ...same, callId })
    if (taken) {
      const { shown } = await requireSame(
        deps,
        { ...taken, organizationId, registeredUserId },
        userKey,
        digest,
      )
      if (request.preview && shown.preview.some(({ is_loaded: isLoaded }) => isLoaded))
        preview = await request.preview()
      const reason = !(await isApprovedBy(deps.db, organizationId, taken.id, request.rules))
        ? 'policy_changed'
        : !isUnchanged(shown.preview, preview ?? [])
          ? 'preview_changed'
          : null
      if (!reason) return { kind: 'taken', id: taken.id }
      await deps.db.transaction(tx =>
        voidApproval(tx, { organizationId, id: taken.id, reason, isTaken: true }),
      )
      continue
    }
    const answer = await deps.db.transaction(tx =>
      joinOrCreate(tx, deps, request, same, { userKey, digest, preview }),
    )
    if (answer === 'new' && request.preview) preview = await request.preview()
    if (typeof answer === 'object') return answer
  }
}

type OfRequest = Pick<ApprovalRequest, 'call' | 'idempotencyKey'>

/** By what the repeats of a call are found. */
const sameCall = ({ signer }: Vault, { call, idempotencyKey }: OfRequest, digest: Buffer): OfCall => {
  const { organizationId, registeredUserId } = call
  const text = `${digest.toString('hex')} ${idempotencyKey ?? ''}`
  return { organizationId, registeredUserId, callHash: signer.sign('approval', text) }
}

export type ApprovedCall = Pick<StoredApproval, 'rules'>

/** The approval of exactly this call, which was not made yet. */
export const findApproved = async ({ db, vault }: Deps, request: OfRequest): Promise<ApprovedCall | null> => {
  const known = await approvalStore.findSame(db, sameCall(vault, request, digestOfCall(request.call)))
  return known?.status === 'approved' ? known : null
}

/** Whether those who have approved the call satisfy the rules that ask now. */
const isApprovedBy = async (
  db: Queryable,
  organizationId: string,
  id: string,
  rules: readonly AskingRule[],
): Promise<boolean> => {
  const decisions = await approvalStore.findDecisions(db, organizationId, [id])
  return isSatisfied(
    rules,
    decisions.filter(({ decision }) => decision === 'approve'),
  )
}

/** Someone who can write to the database could change `call_hash`, but not the sealed call. */
const requireSame = async (
  { db }: Deps,
  taken: { id: string; organizationId: string; registeredUserId: string; digest: Buffer; sealed: Buffer },
  userKey: DataKey,
  callDigest: Buffer,
): Promise<{ shown: Shown }> => {
  const { call, shown, nonce } = await openApproval(db, userKey, taken, taken.sealed)
  const isSame =
    digestOfCall(call).equals(callDigest) &&
    digestOfApproval(taken.id, nonce, callDigest).equals(taken.digest)
  if (isSame) return { shown }
  await finishApproval(db, taken, 'failed')
  throw new Error(`approval ${taken.id} does not belong to the call that has taken it`)
}

type Sealing = { userKey: DataKey; digest: Buffer }
/** `preview`: null if it was not read yet. */
type Preparation = Sealing & { preview: ApprovalPreview[] | null }

/** `new`: there is no request to join, and the preview is needed to make one. */
const joinOrCreate = async (
  tx: Transaction,
  { vault }: Deps,
  request: ApprovalRequest,
  same: OfCall,
  { preview, ...sealing }: Preparation,
): Promise<ApprovalAnswer | 'approved' | 'new'> => {
  const { organizationId, registeredUserId } = same
  await approvalStore.lockUser(tx, organizationId, registeredUserId)
  await endDue(tx, organizationId, registeredUserId)
  const found = await approvalStore.findSame(tx, same)
  const isOutdated = found !== null && isUndecided(found) && !implies(found.rules, request.rules)
  if (isOutdated) await voidApproval(tx, { organizationId, id: found.id, reason: 'policy_changed' })
  const known = isOutdated ? null : found
  const answer = known && answerFrom(known)
  if (answer && answer !== 'approved' && answer.kind === 'waiting' && request.taskHours !== null) {
    const extended = await approvalStore.extend(tx, organizationId, answer.approval.id, request.taskHours)
    return extended ? { kind: 'waiting', approval: extended } : answer
  }
  // While the same call waits or runs, no second one begins.
  if (answer && known?.endedAt === null) return answer
  if (!preview) {
    if (!answer) await requireBelowLimits(tx, request)
    return 'new'
  }
  const shownRequest = { ...request, shown: { ...request.shown, preview } }
  const grant = await takeGrant(tx, vault.signer, shownRequest)
  if (grant) return { kind: 'taken', id: await createGranted(tx, shownRequest, same, sealing, grant) }
  if (answer) return answer
  await requireBelowLimits(tx, request)
  const approval = await approvalStore.insert(tx, newApproval(shownRequest, same, sealing))
  await approvalEvents.requested(tx, same.organizationId, approval)
  return { kind: 'waiting', approval }
}

const isUndecided = ({ status }: StoredApproval): boolean => status === 'pending' || status === 'confirming'

/** `approved`: since this call has looked. Null: the earlier approval says nothing about this call. */
const answerFrom = (known: StoredApproval): ApprovalAnswer | 'approved' | null => {
  switch (known.status) {
    case 'pending':
    case 'confirming':
      return { kind: 'waiting', approval: known }
    case 'approved':
      return 'approved'
    case 'executing':
    case 'done':
    case 'unknown':
      return { kind: 'used', toolCallId: known.toolCallId as string }
    case 'denied':
      throw denied(known)
    case 'failed':
    case 'expired':
    case 'withdrawn':
    case 'void':
      return null
  }
}

export const denied = ({ id, decisionReason }: Pick<StoredApproval, 'id' | 'decisionReason'>): Refusal => {
  const why = decisionReason === null ? '.' : `: ${decisionReason.replace(/[.!?]*$/, '.')}`
  return new Refusal('approval_denied', {
    message: `A person denied this call${why} It was not made. Do not repeat it unchanged. (Approval ${id})`,
    retryable: false,
  })
}

const requireBelowLimits = async (tx: Transaction, { call }: ApprovalRequest): Promise<void> => {
  const { organizationId, registeredUserId, caller } = call
  const counted = await approvalStore.count(tx, { organizationId, registeredUserId, callerId: caller.id })
  const refuse = (message: string): never => {
    throw new Refusal('approval_limit_reached', { message, retryable: true })
  }
  const { pendingOfUser, pendingOfCaller, requestsPerHour } = approvalBounds
  if (counted.ofUser >= pendingOfUser)
    refuse(`${pendingOfUser} calls of this user are waiting for a decision. The call was not made.`)
  if (counted.ofCaller >= pendingOfCaller)
    refuse(`${pendingOfCaller} calls of this caller are waiting for a decision. The call was not made.`)
  if (counted.inHour >= requestsPerHour)
    refuse(`This caller has asked ${requestsPerHour} times within an hour. The call was not made.`)
}

/** The user has decided about calls like this one before. */
const createGranted = async (
  tx: Transaction,
  request: ShownRequest,
  same: OfCall,
  sealing: Sealing,
  grant: { id: string; approverId: string },
): Promise<string> => {
  const approval = newApproval(request, same, sealing)
  await approvalStore.insert(tx, approval, { grantId: grant.id, toolCallId: request.callId })
  const decision = { decider: grant.approverId, decision: 'approve', personId: null } as const
  await approvalStore.saveDecision(tx, approval, decision)
  return approval.id
}

type ShownRequest = ApprovalRequest & { shown: Shown }

const newApproval = (
  { call, shown, accountLabel, fileToolHash, rules, taskHours }: ShownRequest,
  same: OfCall,
  { userKey, digest }: Sealing,
): NewApproval => {
  const id = newUuid()
  const nonce = Buffer.from(randomBytes(32))
  return {
    ...same,
    id,
    mode: call.mode,
    toolPackId: call.toolPackId,
    connectorSlug: call.connector,
    tool: call.tool,
    credentialId: call.account?.credentialId ?? null,
    linkGeneration: call.account?.generation ?? null,
    mcpServerId: call.mcpServerId,
    fileToolHash,
    isDestructive: shown.is_destructive,
    accountLabel,
    callerType: call.caller.type,
    callerId: call.caller.id,
    rules,
    digest: digestOfApproval(id, nonce, digest),
    sealed: sealApproval(userKey, { ...same, id }, { call, shown, nonce }),
    taskHours,
  }
}
