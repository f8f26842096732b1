import { randomInt } from 'node:crypto'
import { type AccountId, accountIds, perAccount } from '../accounts.ts'

export type VaultKey = { key: string; revoked: boolean }
export type VaultKeysByAccount = Record<AccountId, VaultKey>

export type VaultKeys = {
  of: (account: AccountId) => VaultKey
  find: (key: string) => AccountId | undefined
  isRevoked: (key: string) => boolean
  revoke: (account: AccountId) => void
  /** Replaces the key by a new one. */
  renew: (account: AccountId) => void
  snapshot: () => VaultKeysByAccount
}

export function createVaultKeys(keys: VaultKeysByAccount, onChange: () => void): VaultKeys {
  const put = (account: AccountId, key: VaultKey) => {
    keys[account] = key
    onChange()
  }
  return {
    of: account => keys[account],
    find: key => accountIds.find(id => !keys[id].revoked && keys[id].key === key),
    isRevoked: key => accountIds.some(id => keys[id].revoked && keys[id].key === key),
    revoke: account => put(account, { ...keys[account], revoked: true }),
    renew: account => put(account, { key: mintVaultKey(), revoked: false }),
    snapshot: () => keys,
  }
}

export function mintVaultKeys(): VaultKeysByAccount {
  return perAccount(() => ({ key: mintVaultKey(), revoked: false }))
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

function mintVaultKey(): string {
  const characters = Array.from({ length: 32 }, () => BASE62[randomInt(BASE62.length)])
  return `sv_live_${characters.join('')}`
}
