export type AccountId = 'ana' | 'ben'

export type Account = { id: AccountId; name: string; email: string; workspace: string }

/** The users of the sandbox. Both providers, Notes and Vault, have the same two. */
export const accounts: Readonly<Record<AccountId, Account>> = {
  ana: { id: 'ana', name: 'Ana Ruiz', email: 'ana@example.com', workspace: 'ruiz-studio' },
  ben: { id: 'ben', name: 'Ben Okafor', email: 'ben@example.com', workspace: 'okafor-and-sons' },
}

export const accountIds: readonly AccountId[] = ['ana', 'ben']

/** Creates one value per account. */
export function perAccount<T>(make: (id: AccountId) => T): Record<AccountId, T> {
  return { ana: make('ana'), ben: make('ben') }
}

export function isAccountId(value: unknown): value is AccountId {
  return value === 'ana' || value === 'ben'
}
