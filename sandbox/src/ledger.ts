export const ledgerKinds = [
  'authorize',
  'token',
  'refresh',
  'revoke',
  'notes.me',
  'notes.list',
  'notes.create',
  'vault.me',
  'vault.items',
  'sites.list',
  'sites.pages',
] as const

export type LedgerKind = (typeof ledgerKinds)[number]

export type LedgerEntry = {
  at: string
  kind: LedgerKind
  account: string | null
  outcome: 'ok' | 'refused' | 'fault'
  detail?: LedgerDetail
}

/** Never a token: only its fingerprint. */
export type LedgerDetail = Record<string, string | number | boolean | null | string[]>

export type Ledger = {
  readonly entries: LedgerEntry[]
  record: (entry: Omit<LedgerEntry, 'at'>) => void
  clear: () => void
}

/** A benchmark makes many calls; only the newest are kept, so that the ledger does not grow for ever. */
const LEDGER_CAPACITY = 20_000

export function createLedger(): Ledger {
  const entries: LedgerEntry[] = []
  return {
    entries,
    record(entry) {
      // Dropped in batches, since removing from the front of an array moves all the rest.
      if (entries.length >= LEDGER_CAPACITY) entries.splice(0, LEDGER_CAPACITY / 10)
      entries.push({ at: new Date().toISOString(), ...entry })
    },
    clear() {
      entries.length = 0
    },
  }
}
