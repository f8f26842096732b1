import type { Queryable } from '../../platform/database/database.ts'
import type { Signer } from '../../platform/vault/vault.ts'
import { type AuditEntry, FIRST_PREVIOUS, hashEntry, isSealOf } from './audit-chain.ts'
import { auditStore, type StoredChain } from './audit-store.ts'

/**
 * `changed`: an entry does not match its hash. `missing`: a sequence number is skipped. `forked`: an entry does not
 * continue from the previous one. `cut`: the last entries are missing. `added`: there are entries after the end. `forged`:
 * all hashes match, but the head, or an earlier head that was extended later, was not sealed by this service.
 */
export type BreakKind = 'changed' | 'missing' | 'forked' | 'cut' | 'added' | 'forged'
export type ChainBreak = { kind: BreakKind; sequence: number; text: string }

export type Verdict = {
  organizationId: string
  /** The number of entries verified. */
  entries: number
  head: { sequence: number; hash: string }
  isSealChecked: boolean
  /** Whether the last entry was verified. */
  isComplete: boolean
  /** Entries up to this one were imported from an installation that the operator does not know. */
  unverifiedUntil: number | null
  problem: ChainBreak | null
}

/** A head recorded earlier outside of the database. */
export type KnownHead = { sequence: number; hash: string }

type Options = {
  /** The first entry to verify; earlier ones are trusted. */
  from?: number
  /** Ends after this many entries. The head is then verified only if they include the last one. */
  maxEntries?: number
  expected?: KnownHead | undefined
  onProgress?: (progress: { entries: number; all: number }) => void
}
/** Without the signer, everything except the seal is verified. */
type Deps = { db: Queryable; signer: Signer | null }

const PAGE = 1000

export const listChains = (db: Queryable, organizationId: string | null): Promise<StoredChain[]> =>
  auditStore.chains(db, organizationId)

/** Verifies one chain in pages, from its first entry to its end, and stops at the first problem. */
export const verifyChain = async (
  deps: Deps,
  chain: StoredChain,
  options: Options = {},
): Promise<Verdict> => {
  const { entries, problem, isComplete } = await verifyEntries(deps.db, chain, options)
  const found =
    problem ?? (isComplete ? (checkHead(deps.signer, chain) ?? (await findAdded(deps.db, chain))) : null)
  return {
    organizationId: chain.organizationId,
    entries,
    head: { sequence: chain.sequence, hash: chain.hash?.toString('hex') ?? '' },
    isSealChecked: deps.signer !== null && isComplete,
    isComplete,
    unverifiedUntil: chain.unverifiedUntil,
    problem: found,
  }
}

const verifyEntries = async (
  db: Queryable,
  chain: StoredChain,
  { from = 1, maxEntries = Number.MAX_SAFE_INTEGER, expected, onProgress = () => undefined }: Options,
): Promise<{ entries: number; problem: ChainBreak | null; isComplete: boolean }> => {
  const before = from > 1 ? await auditStore.page(db, chain.organizationId, from - 2, 1) : []
  let last: ChainLink = { sequence: from - 1, hash: before[0]?.hash ?? FIRST_PREVIOUS }
  let entries = 0
  const end = Math.min(chain.sequence, from - 1 + maxEntries)
  const isComplete = end >= chain.sequence
  while (last.sequence < end) {
    const page = await auditStore.page(db, chain.organizationId, last.sequence, PAGE)
    if (page.length === 0) break
    for (const entry of page) {
      if (entry.sequence > end) break
      const problem = checkEntry(last, entry) ?? checkExpected(entry, expected)
      if (problem) return { entries, problem, isComplete: true }
      last = entry
      entries++
    }
    onProgress({ entries, all: chain.sequence - from + 1 })
    if ((page.at(-1)?.sequence ?? 0) >= end) break
  }
  const isCutShort = last.sequence < end
  return {
    entries,
    problem: isComplete || isCutShort ? checkEnd(last, chain, expected) : null,
    isComplete: isComplete || isCutShort,
  }
}

type ChainLink = { sequence: number; hash: Buffer }

const checkEntry = (before: ChainLink, entry: AuditEntry): ChainBreak | null => {
  const { sequence } = entry
  if (sequence > before.sequence + 1)
    return breakAt('missing', before.sequence + 1, `the next existing entry is ${sequence}`)
  if (!hashEntry(entry).equals(entry.hash)) return breakAt('changed', sequence, 'it does not match its hash')
  if (sequence <= before.sequence || !entry.previous.equals(before.hash))
    return breakAt('forked', sequence, `it does not continue from entry ${before.sequence}`)
  return null
}

const checkExpected = (entry: ChainLink, expected: KnownHead | undefined): ChainBreak | null =>
  expected?.sequence === entry.sequence && expected.hash !== entry.hash.toString('hex')
    ? breakAt('changed', entry.sequence, 'it does not match the recorded hash')
    : null

const checkEnd = (
  last: ChainLink,
  chain: StoredChain,
  expected: KnownHead | undefined,
): ChainBreak | null => {
  if (chain.isMissing) return breakAt('cut', 1, 'the whole audit trail of this organization is missing')
  const end = Math.max(chain.sequence, expected?.sequence ?? 0)
  if (last.sequence < end)
    return breakAt('cut', last.sequence + 1, `the audit trail extended to entry ${end}`)
  return chain.hash && !last.hash.equals(chain.hash) && last.sequence === chain.sequence
    ? breakAt('forked', chain.sequence, 'the head of the chain refers to another entry')
    : null
}

const checkHead = (signer: Signer | null, chain: StoredChain): ChainBreak | null => {
  const { organizationId, sequence, hash, seal, brokenAt, unverifiedUntil } = chain
  if (brokenAt !== null)
    return breakAt(
      'forged',
      brokenAt,
      'when it was written, the previous head had not been sealed by this service: entries were rewritten, added or removed',
    )
  if (!signer || !hash || sequence === 0) return null
  return seal && isSealOf(signer, { organizationId, sequence, hash, unverifiedUntil }, seal)
    ? null
    : breakAt(
        'forged',
        sequence,
        'the head of the chain was not sealed by this service: entries were rewritten, added or removed',
      )
}

/** Queried again at the end, because valid entries may have been appended in the meantime. */
const findAdded = async (db: Queryable, chain: StoredChain): Promise<ChainBreak | null> => {
  const { head, last } = await auditStore.ends(db, chain.organizationId)
  return last > head ? breakAt('added', head + 1, `the chain ends at entry ${head}`) : null
}

const breakAt = (kind: BreakKind, sequence: number, text: string): ChainBreak => ({ kind, sequence, text })
