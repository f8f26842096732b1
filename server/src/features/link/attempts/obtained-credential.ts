import type { CredentialSecret } from '../../credentials/credential-secret.ts'

/** The credential obtained by an authorization or an API-key form. */
export type ObtainedCredential = {
  attemptId: string
  connectorSlug: string
  /** The MCP server that the credential is for, if any. It must still exist on completion. */
  serverId: string | null
  secret: CredentialSecret
  scopes: string[]
  account: string | null
  accountId: string | null
  oauthApp: string | null
  expiresInSeconds: number | null
  /** When the whole credential ends. Default: not known. */
  endsInSeconds?: number | null
  /** The answer to “Replace or add?”: the credential to replace, or null to add the account. Undefined: not asked yet. */
  replaces?: string | null
}

export type SealedCredential = ObtainedCredential & { secretId: string; sealed: Buffer }
