import type { ConnectorFile, OAuthMethod } from '@carabiner/contract'
import type { CredentialSecret } from '../../credentials/credential-secret.ts'
import type { OAuthApp } from '../../oauth/oauth-app.ts'

/** What is needed when the browser returns. It is sealed with the attempt. */
export type SignInState = OAuth1State | OAuth2State
export type OAuth1State = {
  type: 'oauth1'
  request_token: string
  request_secret: string
  tenant: Record<string, string>
}
export type OAuth2State = {
  type: 'oauth2'
  code_verifier: string
  scopes: string[]
  tenant: Record<string, string>
}

export type SignInStart = {
  connector: ConnectorFile
  app: OAuthApp | null
  tenant: Record<string, string>
}
/** `url`: where the user signs in. `state`: what identifies the attempt in the callback. */
export type StartedSignIn = { app: OAuthApp; url: string; state: string; kept: SignInState }

export type SignInReturn<S extends SignInState = SignInState> = {
  connector: ConnectorFile
  app: OAuthApp | null
  kept: S
  parameters: URLSearchParams
  state: string
}

/** What the provider has issued. `tenant`: the address variables known so far. */
export type SignInResult = {
  secretAt: (tenant: Record<string, string>) => CredentialSecret
  scopes: string[]
  expiresInSeconds: number | null
  /** When the whole credential ends. Null: unknown. */
  endsInSeconds: number | null
  tenant: Record<string, string>
  /** Null: the method learns no address variables, and has no sites. */
  method: OAuthMethod | null
}
