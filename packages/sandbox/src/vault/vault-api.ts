import type { IncomingMessage, ServerResponse } from 'node:http'
import { type AccountId, accounts } from '../accounts.ts'
import { fingerprint } from '../fingerprint.ts'
import { HttpError } from '../http/http-error.ts'
import { sendError, sendJson } from '../http/send.ts'
import type { Ledger, LedgerKind } from '../ledger.ts'
import type { VaultKeys } from './vault-keys.ts'

type Operation = { kind: LedgerKind; answer(account: AccountId): unknown }

const operations: Record<string, Operation> = {
  'GET /vault/api/me': {
    kind: 'vault.me',
    answer: account => {
      const { id, email, workspace } = accounts[account]
      return { workspace, account: { id, email } }
    },
  },
  'GET /vault/api/items': { kind: 'vault.items', answer: account => ({ items: items[account] }) },
}

const items: Readonly<Record<AccountId, readonly { id: string; name: string; updated_at: string }[]>> = {
  ana: [
    { id: 'item_a1', name: 'Studio lease 2026.pdf', updated_at: '2026-02-03T09:12:00.000Z' },
    { id: 'item_a2', name: 'Passport scan', updated_at: '2025-11-18T17:40:00.000Z' },
    { id: 'item_a3', name: 'Insurance policy', updated_at: '2025-09-01T08:05:00.000Z' },
  ],
  ben: [
    { id: 'item_b1', name: 'Workshop deeds', updated_at: '2026-01-22T14:30:00.000Z' },
    { id: 'item_b2', name: 'Van registration', updated_at: '2025-12-09T11:02:00.000Z' },
  ],
}

export function vaultCallKind(method: string, pathname: string): LedgerKind | null {
  return operations[`${method} ${pathname}`]?.kind ?? null
}

export function handleVaultApi(
  { keys, ledger }: { keys: VaultKeys; ledger: Ledger },
  req: IncomingMessage,
  res: ServerResponse,
  pathname: string,
): void {
  const operation = operations[`${req.method} ${pathname}`]
  if (!operation) return sendError(res, new HttpError(404, 'not_found', 'Vault has no such endpoint.'))

  const key = /^Bearer (\S+)$/i.exec(req.headers.authorization ?? '')?.[1]
  const account = key ? keys.find(key) : undefined
  const status = account ? 200 : 401
  ledger.record({
    kind: operation.kind,
    account: account ?? null,
    outcome: account ? 'ok' : 'refused',
    detail: { status, ...(key ? { token_fingerprint: fingerprint(key) } : {}) },
  })
  if (key && keys.isRevoked(key))
    return sendError(res, new HttpError(401, 'key_revoked', 'The API key was revoked.'))
  if (!account) return sendError(res, new HttpError(401, 'invalid_key', 'The API key is invalid.'))
  sendJson(res, status, operation.answer(account))
}
