import type { Egress } from '../../platform/egress/egress.ts'
import { oauthProvider } from '../connectors/oauth-provider.ts'
import { OAuthError, type OAuthProvider, refreshTokens } from '../oauth/protocol.ts'
import { renewalOf, withAppSecret } from '../upstream/authorization-kinds/authorization-kinds.ts'
import { type CredentialSecret, type OAuthSecret, oauthSecret } from './credential-secret.ts'
import { decryptCredential, type HeldCredential, type RefreshDeps } from './held-credential.ts'

export type RenewedSecret = {
  secret: CredentialSecret
  scopes: string[]
  expiresInSeconds: number | null
  endsInSeconds: number | null
}

type Renew = (egress: Egress, secret: CredentialSecret) => Promise<RenewedSecret>
type Renewal = { secret: CredentialSecret; renew: Renew }
type Deps = Pick<RefreshDeps, 'connectors' | 'apps' | 'vault' | 'log'>

/** Decrypts the credential. Null: its access cannot be replaced, for example without an OAuth app or a refresh token. */
export const findRenewal = async (deps: Deps, held: HeldCredential): Promise<Renewal | null> => {
  const secret = await decryptCredential(deps, held)
  const renew =
    secret.kind === 'oauth2'
      ? await withApp(deps, held, secret)
      : ((await withNewAppSecret(deps, held, secret)) ?? (await byItself(deps, held, secret)))
  return renew && { secret, renew }
}

const withApp = async (
  { connectors, apps }: Deps,
  { organizationId, connectorSlug, credential }: HeldCredential,
  { tenant, refreshToken }: OAuthSecret,
): Promise<Renew | null> => {
  const app = credential.oauthApp === null ? null : await apps.byId(organizationId, credential.oauthApp)
  const provider = oauthProvider(await connectors.ofApp(organizationId, connectorSlug, app), app, tenant)
  return provider && refreshToken && createRefresh(provider, credential.scopes)
}

/** RFC 6749 §6: if the response has no new refresh token, the old one remains valid. */
const createRefresh =
  (provider: OAuthProvider, scopes: string[]): Renew =>
  async (egress, secret) => {
    const { tenant, refreshToken } = secret as OAuthSecret
    if (!refreshToken) throw new OAuthError({ kind: 'invalid_grant' })
    const tokens = await refreshTokens({ egress }, provider, refreshToken, scopes)
    return {
      secret: oauthSecret({ ...tokens, refreshToken: tokens.refreshToken ?? refreshToken }, tenant),
      scopes: tokens.scopes,
      expiresInSeconds: tokens.expiresInSeconds,
      endsInSeconds: tokens.refreshExpiresInSeconds,
    }
  }

/** The OAuth app has got a new secret since the account was linked. */
const withNewAppSecret = async (
  { apps }: Deps,
  { organizationId, credential: { oauthApp, scopes } }: HeldCredential,
  secret: CredentialSecret,
): Promise<Renew | null> => {
  const app = oauthApp === null ? null : await apps.byId(organizationId, oauthApp)
  const renewed = app && withAppSecret(secret, app)
  return renewed && (async () => ({ secret: renewed, scopes, expiresInSeconds: null, endsInSeconds: null }))
}

const byItself = async (
  { connectors }: Deps,
  { organizationId, connectorSlug, credential: { scopes } }: HeldCredential,
  secret: CredentialSecret,
): Promise<Renew | null> => {
  const renew = renewalOf(await connectors.find(organizationId, connectorSlug), secret)
  return (
    renew &&
    (async (egress, latest) => {
      const obtained = await renew(egress, latest)
      if (obtained.kind === 'rejected') throw new OAuthError({ kind: 'invalid_grant' })
      if (obtained.kind === 'certificate_refused') throw new OAuthError({ kind: 'certificate_refused' })
      if (obtained.kind === 'unavailable')
        throw new OAuthError({ kind: obtained.timedOut ? 'provider_timeout' : 'provider_unavailable' })
      return { ...obtained, scopes, endsInSeconds: null }
    })
  )
}
