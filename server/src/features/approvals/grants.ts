import type { RememberPeriod } from '@carabiner/contract'
import { canonicalJson } from '../../core/json/canonical-json.ts'
import { newUuid } from '../../core/uuid.ts'
import type { Transaction } from '../../platform/database/database.ts'
import type { Signer, Vault } from '../../platform/vault/vault.ts'
import type { OfMode, StoredApproval } from './approval-store.ts'
import { type AskingRule, type Decider, isSatisfied } from './deciders.ts'
import type { FrozenCall, Shown } from './frozen-call.ts'
import { approvalGrantStore } from './grant-store.ts'
import { lastingOf } from './preview.ts'
import { openCall } from './read-call.ts'

/** What a user can choose besides approving once. `texts`: whether the call has texts that may differ. */
export type Rememberable = { texts: boolean }

type Call = {
  call: FrozenCall
  shown: Pick<Shown, 'roles' | 'is_destructive' | 'preview'>
  rules: readonly AskingRule[]
}

/**
 * Only the decision of this one person must count: members decide about each call. A tool without roles may hide a recipient in any argument, and
 * what cannot be undone is asked about each time.
 */
export const rememberable = ({ call, shown, rules }: Call, decider: Decider): Rememberable | null => {
  const hasRoles = Object.keys(shown.roles).length > 0
  if (
    !hasRoles ||
    shown.is_destructive ||
    rules.length === 0 ||
    !isSatisfied(rules, [{ decider, withPasskey: false }])
  )
    return null
  return { texts: textsOf(call, shown).length > 0 }
}

const textsOf = ({ arguments: args }: FrozenCall, { roles }: Pick<Shown, 'roles'>): string[] =>
  Object.keys(args).filter(name => Object.hasOwn(roles, name) && roles[name] === 'text')

/**
 * What must be the same: everything but the request, which follows from the rest, and the values of texts if they may differ. A text that is absent stays
 * absent. The rules and what the person has seen of the preview are part of it, so that another rule or a renamed channel asks again.
 */
const hashOf = (signer: Signer, { call, shown, rules }: Call, freesTexts: boolean): Buffer => {
  const { request: _request, arguments: args, ...bound } = call
  const texts = freesTexts ? textsOf(call, shown).toSorted() : []
  const pinned = Object.fromEntries(Object.entries(args).filter(([name]) => !texts.includes(name)))
  const asking = rules.map(({ name, approvers }) => ({ name, approvers }))
  const preview = shown.preview.map(lastingOf)
  return signer.sign(
    'approval-grant',
    canonicalJson({ ...bound, arguments: pinned, texts, freesTexts, rules: asking, preview }),
  )
}

/** Uses a grant for the call, if the user has made one that covers it. The row of the user is locked. */
export const takeGrant = (
  tx: Transaction,
  signer: Signer,
  given: Call,
): Promise<{ id: string; approverId: string } | null> => {
  const { organizationId, registeredUserId } = given.call
  const hashes = [hashOf(signer, given, false), hashOf(signer, given, true)]
  return approvalGrantStore.take(tx, { organizationId, registeredUserId, hashes })
}

/** What the user has chosen besides approving this call. */
export type Remember = { period: RememberPeriod; freesTexts: boolean }

/** Calls like the approved one run without asking again, if the person can choose so. */
export const rememberApproval = async (
  tx: Transaction,
  vault: Vault,
  of: OfMode,
  { approval, decider, remember }: { approval: StoredApproval; decider: Decider; remember: Remember },
): Promise<void> => {
  const given = await openCall({ db: tx, vault }, of)
  const { call } = given
  if (approval.status !== 'approved' || !rememberable(given, decider)) return
  const grant = {
    organizationId: call.organizationId,
    id: newUuid(),
    registeredUserId: call.registeredUserId,
    approverId: decider,
    approvalId: approval.id,
    mode: call.mode,
    toolPackId: call.toolPackId,
    connectorSlug: call.connector,
    tool: call.tool,
    accountLabel: approval.accountLabel,
    callerType: call.caller.type,
    callerId: call.caller.id,
    freesTexts: remember.freesTexts,
    grantHash: hashOf(vault.signer, given, remember.freesTexts),
  }
  await approvalGrantStore.insert(tx, grant, remember.period)
}
