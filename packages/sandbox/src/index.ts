import type { RequestListener } from 'node:http'
import { type AccountId, accountIds, perAccount } from './accounts.ts'
import { createFaults, type Fault, type Faults } from './faults.ts'
import { createLedger, type LedgerEntry } from './ledger.ts'
import { listen } from './listen.ts'
import { createNotesStore, seedNotes } from './notes/notes-store.ts'
import { createFindBearer } from './oauth/find-bearer.ts'
import { createOAuthStore } from './oauth/oauth-store.ts'
import { createProvider } from './oauth/provider.ts'
import type { SandboxClient } from './oauth/public-types.ts'
import { recordOAuth } from './oauth/record-oauth.ts'
import { routeRequest } from './route-request.ts'
import { freshState, type SandboxState } from './sandbox-state.ts'
import { createStateWriter, keepNothing, readStateFile } from './state-file.ts'
import { createTasksStore, seedTasks } from './tasks/tasks-store.ts'
import { createVaultKeys } from './vault/vault-keys.ts'

export type { AccountId } from './accounts.ts'
export type { Fault, FaultBehavior, FaultTarget, HeldFault } from './faults.ts'
export type { LedgerEntry, LedgerKind } from './ledger.ts'
export type { GrantView, SandboxClient } from './oauth/public-types.ts'

export type SandboxOptions = {
  /** Default: 0, any free port. */
  port?: number
  /** Default: 127.0.0.1, which includes ::1, so that localhost works with either address. */
  host?: string
  client: SandboxClient
  accessTokenSeconds?: number
  /** Persists the state. Default: the state is lost when the sandbox stops. */
  stateFile?: string
}

export type Sandbox = {
  url: string
  port: number
  readonly vaultKeys: Readonly<Record<AccountId, string>>
  readonly ledger: readonly LedgerEntry[]
  script: Faults['script']
  /** Makes the next call to this target wait. Returns the function that releases it. */
  hold: Faults['hold']
  /** Scripted faults that have not been used yet. */
  pendingFaults: () => Fault[]
  clearFaults: Faults['clear']
  revokeVaultKey: (account: AccountId) => void
  endAccessTokens: () => void
  /** Restores the initial notes and tasks, replaces revoked keys, and clears the faults and the ledger. Grants and their tokens stay. */
  reset: () => void
  close: () => Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

const ACCESS_TOKEN_SECONDS = 3600

export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const {
    port = 0,
    host = '127.0.0.1',
    client,
    accessTokenSeconds = ACCESS_TOKEN_SECONDS,
    stateFile,
  } = options
  const state = (stateFile && (await readStateFile(stateFile))) || freshState(new Date())

  const snapshot = (): SandboxState => ({
    ...state,
    vaultKeys: vaultKeys.snapshot(),
    notes: notes.snapshot(),
    tasks: tasks.snapshot(),
    oauth: store.snapshot(),
  })
  const writer = stateFile ? createStateWriter(stateFile, snapshot) : keepNothing
  const vaultKeys = createVaultKeys(state.vaultKeys, writer.changed)
  const notes = createNotesStore(state.notes, writer.changed)
  const tasks = createTasksStore(state.tasks, writer.changed)
  const store = createOAuthStore(state.oauth, writer.changed)
  const ledger = createLedger()
  const faults = createFaults()

  // The issuer contains the port, so the server listens first; requests wait until it is ready.
  const ready = Promise.withResolvers<RequestListener>()
  const listener = await listen({ port, host }, (req, res) => {
    void ready.promise.then(handle => handle(req, res))
  })
  const url = `http://localhost:${listener.port}`
  try {
    const { signingKey, cookieKeys } = state
    const provider = createProvider({
      issuer: url,
      client,
      accessTokenSeconds,
      signingKey,
      cookieKeys,
      store,
    })
    recordOAuth(provider, ledger)
    const findBearer = createFindBearer(provider, store)
    ready.resolve(routeRequest({ provider, findBearer, notes, tasks, vaultKeys, store, ledger, faults }))
  } catch (error) {
    await listener.close()
    throw error
  }
  await writer.flush()

  const close = async () => {
    await listener.close()
    await writer.flush()
  }
  return {
    url,
    port: listener.port,
    get vaultKeys() {
      return perAccount(id => vaultKeys.of(id).key)
    },
    ledger: ledger.entries,
    script: faults.script,
    hold: faults.hold,
    pendingFaults: faults.waiting,
    clearFaults: faults.clear,
    revokeVaultKey: vaultKeys.revoke,
    endAccessTokens: () => store.endAccessTokens(),
    reset: () => {
      Object.assign(state.notes, seedNotes(new Date()))
      Object.assign(state.tasks, seedTasks())
      for (const id of accountIds) if (vaultKeys.of(id).revoked) vaultKeys.renew(id)
      ledger.clear()
      faults.clear()
      writer.changed()
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}
