export const ledgerKinds = [
  'authorize',
  'token',
  'refresh',
  'revoke',
  'notes.me',
  'notes.list',
  'notes.create',
  'tasks.list',
  'tasks.add',
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

/** Contains fingerprints, never tokens. */
export type LedgerDetail = Record<string, string | number | boolean | null | string[]>

export type Ledger = {
  readonly entries: LedgerEntry[]
  record: (entry: Omit<LedgerEntry, 'at'>) => void
  clear: () => void
}

/** Only the latest entries are kept, because benchmarks make many calls. */
const MAX_LEDGER_ENTRIES = 20_000

export function createLedger(): Ledger {
  const entries: LedgerEntry[] = []
  return {
    entries,
    record(entry) {
      // Removed in batches, because removing from the front of an array moves all other entries.
      if (entries.length >= MAX_LEDGER_ENTRIES) entries.splice(0, MAX_LEDGER_ENTRIES / 10)
      entries.push({ at: new Date().toISOString(), ...entry })
    },
    clear() {
      entries.length = 0
    },
  }
}
