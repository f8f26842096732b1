import type { AccountOption, ExplainDetail } from '@carabiner/contract'
import { Refusal } from '../../../../core/refusal.ts'
import { isUuid } from '../../../../core/uuid.ts'
import type { Queryable } from '../../../../platform/database/database.ts'
import { type AccountOptionRow, accountOptionStore } from '../../admission/account-option-store.ts'
import type { AccountProblem } from '../../admission/admission-rows.ts'
import { ACCOUNT_ARGUMENT } from '../../admission/named-account.ts'
import { fixBy, type StepText } from '../admission/admission-step.ts'
import { connectFix } from '../admission/connect-fix.ts'
import { ownServer } from './access.ts'
import { type CallState, type CallStep, type ExplainedCall, refusalIn } from './call-step.ts'

/** The user has connected an account, and it is clear which one the call uses; or the connector needs none. */
export const accountStep: CallStep = {
  name: 'account',
  phase: 'credential',
  decide: ({ db }, call) => {
    const { admission, callable } = call
    const { accountProblem, credential, fixedAccount } = admission
    if (ownServer(callable)) return null
    // With several accounts the connector is connected, which is all that `authenticate_…` reports.
    if (accountProblem)
      return callable.kind === 'authenticate'
        ? null
        : accountRefusal(db, call, accountProblem).then(refusal => ({ refusal }))
    if (credential) return null
    // The pack allows one credential only, which a link of the user cannot replace.
    if (fixedAccount !== null && isUuid(fixedAccount))
      return {
        refusal: new Refusal('account_unavailable', {
          message: `The Tool Pack allows one ${callable.connector.name} account only, and this user cannot use it.`,
        }),
      }
    return { authRequired: { reason: 'never_linked' } }
  },
  explain: (call, obstacle) => {
    const { callable, subject } = call
    const { name } = callable.connector
    const server = ownServer(callable)
    if (server)
      return server.authentication === 'none'
        ? { summary: `${name} needs no account.`, detail: { authentication: 'none' } }
        : {
            summary: `${name} uses the organization’s secret.`,
            detail: { authentication: 'organization' },
          }
    if (!obstacle) return describeChoice(call)
    const refusal = refusalIn(obstacle)
    if (refusal) return describeRefusal(refusal)
    return {
      summary: `${subject.who} has no ${name} account connected.`,
      detail: { authentication: 'user' },
      fix: connectFix(subject, `Connect a ${name} account: create a link and send it to the user.`),
    }
  },
}

const CHOICES = { fixed: 'which the Tool Pack fixes', named: 'which it names', only: 'the only one' }

const describeChoice = ({ admission, callable, subject: { who, account } }: ExplainedCall): StepText => {
  const { credential, fixedAccount } = admission
  const connected = `${who} has connected ${callable.connector.name}.`
  const detail: ExplainDetail = { authentication: 'user' }
  if (!credential || credential.status === 'revoked') return { summary: connected, detail }
  const choice = fixedAccount !== null ? 'fixed' : account !== null ? 'named' : 'only'
  return {
    summary: `${connected} The call uses the account “${credential.label}”, ${CHOICES[choice]}.`,
    detail: {
      ...detail,
      credential_id: credential.id,
      account_label: credential.label,
      account_choice: choice,
    },
  }
}

const describeRefusal = ({ code, message, accounts = [] }: Refusal): StepText => {
  const detail: ExplainDetail = { authentication: 'user' }
  if (code === 'account_unavailable')
    return {
      summary: message,
      detail,
      fix: fixBy('update_tool_pack', 'Link or share the account, or change the rule of the Tool Pack.'),
    }
  return {
    summary: message,
    detail: { ...detail, account_labels: accounts.map(({ label }) => label) },
    fix: fixBy('change_arguments', `Name one of the accounts in "${ACCOUNT_ARGUMENT}".`),
  }
}

/** The call was not made. Lists the accounts, so that a model can repeat the call with one of them. */
const accountRefusal = async (
  db: Queryable,
  { admission, callable }: CallState,
  problem: AccountProblem,
): Promise<Refusal> => {
  const { organizationId, mode, userId, packId } = admission
  const { slug, name } = callable.connector
  const rows = await accountOptionStore.ofUser(db, {
    organizationId,
    mode,
    registeredUserId: userId,
    toolPackId: packId,
    connectorSlug: slug,
  })
  const accounts = rows.map(toOption)
  const labels = accounts.map(({ label }) => JSON.stringify(label)).join(', ')
  const why =
    problem === 'unknown'
      ? `The user has no such ${name} account.`
      : problem === 'required'
        ? `A call must name the ${name} account that it uses.`
        : `The user has ${accounts.length} ${name} accounts, and the call does not name one of them.`
  return new Refusal(problem === 'unknown' ? 'account_not_found' : 'account_required', {
    param: ACCOUNT_ARGUMENT,
    message: `${why} Nothing was called. Repeat the call with "${ACCOUNT_ARGUMENT}" set to one of: ${labels}. Ask the user if the request does not say which one.`,
    accounts,
  })
}

const toOption = ({ id, label, account, status, pausedUntil, shared }: AccountOptionRow): AccountOption => ({
  label,
  credential_id: id,
  account,
  status: pausedUntil === null ? status : 'paused',
  shared,
})
