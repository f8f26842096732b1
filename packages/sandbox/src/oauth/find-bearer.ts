import type { Provider } from 'oidc-provider'
import { type AccountId, isAccountId } from '../accounts.ts'
import { fingerprint } from '../fingerprint.ts'
import type { OAuthStore } from './oauth-store.ts'

export type AccessGrant = { account: AccountId; scopes: string[]; fingerprint: string }

export type Bearer =
  | { state: 'missing' }
  | { state: 'invalid' | 'revoked'; fingerprint: string }
  | ({ state: 'valid' } & AccessGrant)

export type FindBearer = (authorization: string | undefined) => Promise<Bearer>

/** Resolves a bearer header at the resource server. A token is valid only while its grant exists. */
export function createFindBearer(
  provider: Provider,
  { isRejected }: Pick<OAuthStore, 'isRejected'>,
): FindBearer {
  return async authorization => {
    const value = /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1]
    if (!value) return { state: 'missing' }
    const print = fingerprint(value)
    const token = await provider.AccessToken.find(value)
    const grant = token?.grantId ? await provider.Grant.find(token.grantId) : undefined
    if (grant?.jti !== undefined && isRejected(grant.jti)) return { state: 'revoked', fingerprint: print }
    if (!token || grant?.jti === undefined || !isAccountId(token.accountId))
      return { state: 'invalid', fingerprint: print }
    return { state: 'valid', account: token.accountId, scopes: [...token.scopes], fingerprint: print }
  }
}
