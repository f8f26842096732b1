// The types that the package exports do not depend on oidc-provider, which has no types of its own.

export type SandboxClient = {
  id: string
  secret: string
  redirectUris: string[]
  /** The name on the consent page. Default: its ID. */
  name?: string
  /** The registered method. The server accepts both Basic and POST. */
  authMethod?: 'client_secret_basic' | 'client_secret_post'
}

export type GrantView = {
  id: string
  account: string | null
  client_id: string | null
  scopes: string[]
  active: boolean
  access_tokens: number
  refresh_tokens: number
}
