import type { AccountChoice } from '../sessions/mint-session-store.ts'

/** An account of the connector that the user has linked. `identity`: null if the provider does not identify its accounts. */
export type LinkedAccount = {
  id: string
  label: string
  account: string | null
  identity: string | null
  isShared: boolean
}

/** `replaces`: the credential to replace. Null: the one of the same account, or none. */
export type AccountDecision = { ask: false; replaces: string | null } | { ask: true }

type Requested = { accountChoice: AccountChoice; credentialId: string | null }
type NewAccount = { account: string | null; accountId: string | null }

/**
 * Decides whether the person is asked “Replace or add?”. The first account, and an account that is linked already, need no answer. A
 * session that reconnects a credential replaces it, unless the person has signed in with another account than before.
 */
export const decideAccount = (
  { accountChoice, credentialId }: Requested,
  { account, accountId }: NewAccount,
  linked: readonly LinkedAccount[],
): AccountDecision => {
  const identity = accountId ?? account
  if (linked.length === 0 || accountChoice === 'add') return { ask: false, replaces: null }
  if (identity !== null && linked.some(each => each.identity === identity))
    return { ask: false, replaces: null }
  const target = linked.find(({ id }) => id === credentialId)
  if (target && (accountChoice === 'replace' || identity === null || target.identity === null))
    return { ask: false, replaces: target.id }
  return { ask: true }
}
