import type { AdapterPayload } from 'oidc-provider'
import { fingerprint } from '../fingerprint.ts'
import type { OAuthStore } from './oauth-store.ts'
import type { GrantView } from './public-types.ts'

/** All grants: active ones with their number of usable tokens, and revoked ones. */
export function listGrants(store: OAuthStore): GrantView[] {
  const tokensOf = (model: string, grantId?: string) =>
    store.live(model).filter(token => token.grantId === grantId && !token.consumed).length
  const view = (grant: AdapterPayload, active: boolean): GrantView => ({
    id: fingerprint(grant.jti ?? ''),
    account: grant.accountId ?? null,
    client_id: grant.clientId ?? null,
    scopes: scopesOf(grant),
    active,
    access_tokens: active ? tokensOf('AccessToken', grant.jti) : 0,
    refresh_tokens: active ? tokensOf('RefreshToken', grant.jti) : 0,
  })
  return [
    ...store.live('Grant').map(grant => view(grant, true)),
    ...store.revokedGrants().map(grant => view(grant, false)),
  ]
}

function scopesOf(grant: AdapterPayload): string[] {
  const { scope } = (grant.openid ?? {}) as { scope?: string }
  return scope ? scope.split(' ') : []
}
