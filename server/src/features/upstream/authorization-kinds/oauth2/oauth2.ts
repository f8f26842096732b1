import type { OAuthMethod } from '@carabiner/contract'
import { Secret } from '../../../../core/secret.ts'
import type { AuthorizationKind, Tenant } from '../../authorization-kind.ts'
import { fillHeaders } from '../../templates/template.ts'

export type OAuthSecret = Tenant & { kind: 'oauth2'; accessToken: Secret; refreshToken: Secret | null }
type PlainOAuthSecret = Tenant & { kind: 'oauth2'; access_token: string; refresh_token: string | null }

export const oauth2: AuthorizationKind<OAuthMethod, OAuthSecret, PlainOAuthSecret> = {
  type: 'oauth2',
  toPlain: ({ tenant, accessToken, refreshToken }) => ({
    kind: 'oauth2',
    tenant,
    access_token: accessToken.reveal(),
    refresh_token: refreshToken?.reveal() ?? null,
  }),
  fromPlain: plain => ({
    kind: 'oauth2',
    tenant: plain.tenant,
    accessToken: new Secret(plain.access_token),
    refreshToken: plain.refresh_token === null ? null : new Secret(plain.refresh_token),
  }),
  headers: (method, { accessToken }) =>
    fillHeaders(method?.headers ?? { authorization: 'Bearer {token}' }, { token: accessToken.reveal() }),
  secretTexts: (_, { accessToken }) => [accessToken.reveal()],
  renewal: { by: 'oauth_app' },
  obtain: null,
}
