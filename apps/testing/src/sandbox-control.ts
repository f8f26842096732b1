/** The accounts of the sandbox. */
export type Account = 'ana' | 'ben'

/** An API of the sandbox, or an endpoint of its OAuth server. */
export type SandboxTarget = 'notes' | 'vault' | 'sites' | 'authorize' | 'token' | 'revoke' | 'userinfo'

/** A response that the sandbox gives instead of its own. */
export type SandboxFault = {
  target: SandboxTarget
  behavior: 'status' | 'slow' | 'late' | 'lost' | 'hang' | 'malformed' | 'huge' | 'reset' | 'redirect'
  status?: number | undefined
  body?: unknown
  headers?: Record<string, string> | undefined
  delay_ms?: number | undefined
  location?: string | undefined
  bytes?: number | undefined
  /** The number of requests that it applies to. Default: 1. */
  times?: number | undefined
}

export type SandboxRequest = {
  at: string
  kind: string
  account: string | null
  outcome: 'ok' | 'refused' | 'fault'
  detail?: Record<string, unknown>
}

export type SandboxGrant = { id: string; account: Account | null; scopes: string[]; active: boolean }

/** The control endpoints of the sandbox. */
export type SandboxControl = {
  /** Adds a fault and returns its ID. */
  script: (fault: SandboxFault) => Promise<number>
  /** Removes one fault. Default: all. */
  clearFaults: (id?: number) => Promise<void>
  /** The requests that reached the sandbox, oldest first. */
  requests: (kind?: string) => Promise<SandboxRequest[]>
  grants: () => Promise<SandboxGrant[]>
  /** Default of `grant`: all grants. */
  expireAccessTokens: (grant?: string) => Promise<void>
  endGrants: (grant?: string) => Promise<void>
  rejectGrants: (grant?: string) => Promise<void>
  /** The API key of an account at Vault. A revoked key is replaced by a new one. */
  vaultKey: (account: Account) => Promise<string>
  revokeVaultKey: (account: Account) => Promise<void>
}

/** Each endpoint returns some of these. */
type ControlAnswer = {
  id: number
  entries: SandboxRequest[]
  grants: SandboxGrant[]
  vault_keys: Record<Account, { key: string; revoked: boolean }>
}

export const createSandboxControl = (sandboxUrl: string): SandboxControl => {
  const send = async (method: string, path: string, body?: unknown): Promise<ControlAnswer> => {
    const response = await fetch(`${sandboxUrl}/_control/${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(method === 'POST' && { body: JSON.stringify(body ?? {}) }),
    })
    const answer = (await response.json()) as ControlAnswer
    if (response.ok) return answer
    throw new Error(`The sandbox rejected the request: ${JSON.stringify(answer)}`)
  }
  const query = (name: string, value: string | number | undefined): string =>
    value === undefined ? '' : `?${name}=${encodeURIComponent(value)}`
  return {
    script: async fault => (await send('POST', 'faults', fault)).id,
    clearFaults: async id => void (await send('DELETE', `faults${query('id', id)}`)),
    requests: async kind => (await send('GET', `ledger${query('kind', kind)}`)).entries,
    grants: async () => (await send('GET', 'grants')).grants,
    expireAccessTokens: async grant => void (await send('DELETE', `access-tokens${query('grant', grant)}`)),
    endGrants: async grant => void (await send('DELETE', `grants${query('grant', grant)}`)),
    rejectGrants: async grant => void (await send('POST', `grants/reject${query('grant', grant)}`)),
    vaultKey: async account => {
      const read = async () => (await send('GET', 'vault-keys')).vault_keys[account]
      if ((await read()).revoked) await send('POST', 'vault-keys/renew', { account })
      return (await read()).key
    },
    revokeVaultKey: async account => void (await send('POST', 'vault-keys/revoke', { account })),
  }
}
