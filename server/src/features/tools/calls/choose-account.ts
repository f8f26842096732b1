import type { AccountOption } from '@carabiner/contract'
import { Refusal } from '../../../core/refusal.ts'
import type { Queryable } from '../../../platform/database/database.ts'
import { type AccountOptionRow, accountOptionStore } from '../admission/account-option-store.ts'
import type { AccountProblem } from '../admission/admission-rows.ts'
import type { Admitted } from '../admission/admit-call.ts'
import { ACCOUNT_ARGUMENT } from '../admission/named-account.ts'

/** The call was not made. Lists the accounts, so that a model can repeat the call with one of them. */
export const accountRefusal = async (
  db: Queryable,
  { admission, callable }: Pick<Admitted, 'admission' | 'callable'>,
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
