import { generateKeyPairSync, randomBytes } from 'node:crypto'
import type { JWK } from 'oidc-provider'
import { type NotesByAccount, seedNotes } from './notes/notes-store.ts'
import type { OAuthSnapshot } from './oauth/oauth-store.ts'
import { seedTasks, type TasksByAccount } from './tasks/tasks-store.ts'
import { mintVaultKeys, type VaultKeysByAccount } from './vault/vault-keys.ts'

const STATE_VERSION = 1

/** The complete state of a sandbox, as stored in a state file. */
export type SandboxState = {
  version: typeof STATE_VERSION
  signingKey: JWK
  cookieKeys: string[]
  vaultKeys: VaultKeysByAccount
  notes: NotesByAccount
  tasks: TasksByAccount
  oauth: OAuthSnapshot
}

export function freshState(now: Date): SandboxState {
  // An EC key takes a millisecond; an RSA key would dominate the startup time.
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    version: STATE_VERSION,
    signingKey: { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'ES256' },
    cookieKeys: [randomBytes(32).toString('base64url')],
    vaultKeys: mintVaultKeys(),
    notes: seedNotes(now),
    tasks: seedTasks(),
    oauth: { records: [], revokedGrants: [] },
  }
}

/** Parses a state written by this program. It is checked for damage, not for malicious content. */
export function parseState(text: string): SandboxState | undefined {
  try {
    const state: Partial<SandboxState> = JSON.parse(text)
    return isComplete(state) ? state : undefined
  } catch {
    return undefined
  }
}

function isComplete(state: Partial<SandboxState>): state is SandboxState {
  return (
    state.version === STATE_VERSION &&
    typeof state.signingKey?.d === 'string' &&
    Array.isArray(state.cookieKeys) &&
    typeof state.vaultKeys?.ana.key === 'string' &&
    typeof state.vaultKeys.ben.key === 'string' &&
    Array.isArray(state.notes?.ana) &&
    Array.isArray(state.notes.ben) &&
    Array.isArray(state.tasks?.ana) &&
    Array.isArray(state.tasks.ben) &&
    Array.isArray(state.oauth?.records) &&
    Array.isArray(state.oauth.revokedGrants)
  )
}
