import type { Queryable } from '../../platform/database/database.ts'
import type { Signer } from '../../platform/vault/vault.ts'
import { type AuditEntry, FIRST_PREVIOUS, hashEntry, isSealOf } from './audit-chain.ts'
import { auditStore, type ChainRow } from './audit-store.ts'

/**
 * `changed`: an entry is not what was hashed. `missing`: a number is skipped. `forked`: an entry goes on from another one than
 * stands before it. `cut`: the last ones are gone. `added`: entries behind the end. `forged`: all fits, but the end, or one that
 * was extended later, was not sealed by this service.
 */
export type BreakKind = 'changed' | 'missing' | 'forked' | 'cut' | 'added' | 'forged'
export type ChainBreak = { kind: BreakKind; sequence: number; text: string }

export type Verdict = {
  organizationId: string
  /** How many entries were looked at. */
  entries: number
  head: { sequence: number; hash: string }
  isSealChecked: boolean
  problem: ChainBreak | null
}

/** An end of the chain that was noted down before, outside of the database. */
export type KnownHead = { sequence: number; hash: string }

type Options = {
  /** The first entry to look at; those before it are taken as they are. */
  from?: number
  expected?: KnownHead | undefined
  tell?: (progress: { entries: number; all: number }) => void
}
/** Without the signer all is checked but the seal. */
type Deps = { db: Queryable; signer: Signer | null }

const PAGE = 1000

export const listChains = (db: Queryable, organizationId: string | null): Promise<ChainRow[]> =>
  auditStore.chains(db, organizationId)

/** Walks one chain in pages, from its first entry to its end, and stops at the first thing that does not fit. */
export const verifyChain = async (deps: Deps, chain: ChainRow, options: Options = {}): Promise<Verdict> => {
  const { entries, problem } = await walk(deps.db, chain, options)
  const found = problem ?? judgeHead(deps.signer, chain) ?? (await findAdded(deps.db, chain))
  return {
    organizationId: chain.organization_id,
    entries,
    head: { sequence: chain.sequence, hash: chain.hash?.toString('hex') ?? '' },
    isSealChecked: deps.signer !== null,
    problem: found,
  }
}

const walk = async (
  db: Queryable,
  chain: ChainRow,
  { from = 1, expected, tell = () => undefined }: Options,
): Promise<{ entries: number; problem: ChainBreak | null }> => {
  const before = from > 1 ? await auditStore.page(db, chain.organization_id, from - 2, 1) : []
  let last: Link = { sequence: from - 1, hash: before[0]?.hash ?? FIRST_PREVIOUS }
  let entries = 0
  while (last.sequence < chain.sequence) {
    const page = await auditStore.page(db, chain.organization_id, last.sequence, PAGE)
    if (page.length === 0) break
    for (const entry of page) {
      if (entry.sequence > chain.sequence) break
      const problem = judgeEntry(last, entry) ?? judgeExpected(entry, expected)
      if (problem) return { entries, problem }
      last = entry
      entries++
    }
    tell({ entries, all: chain.sequence - from + 1 })
    if ((page.at(-1)?.sequence ?? 0) >= chain.sequence) break
  }
  return { entries, problem: judgeEnd(last, chain, expected) }
}

type Link = { sequence: number; hash: Buffer }

const judgeEntry = (before: Link, entry: AuditEntry): ChainBreak | null => {
  const { sequence } = entry
  if (sequence > before.sequence + 1)
    return breakAt('missing', before.sequence + 1, `the next one that is there is ${sequence}`)
  if (!hashEntry(entry).equals(entry.hash))
    return breakAt('changed', sequence, 'it is not what was hashed when it was written')
  if (sequence <= before.sequence || !entry.previous.equals(before.hash))
    return breakAt('forked', sequence, `it does not go on from entry ${before.sequence} as it stands there`)
  return null
}

const judgeExpected = (entry: Link, expected: KnownHead | undefined): ChainBreak | null =>
  expected?.sequence === entry.sequence && expected.hash !== entry.hash.toString('hex')
    ? breakAt('changed', entry.sequence, 'it is another one than was noted down')
    : null

const judgeEnd = (last: Link, chain: ChainRow, expected: KnownHead | undefined): ChainBreak | null => {
  if (chain.is_missing) return breakAt('cut', 1, 'the whole trail of this organization is gone')
  const end = Math.max(chain.sequence, expected?.sequence ?? 0)
  if (last.sequence < end) return breakAt('cut', last.sequence + 1, `the trail went on to entry ${end}`)
  return chain.hash && !last.hash.equals(chain.hash) && last.sequence === chain.sequence
    ? breakAt('forked', chain.sequence, 'the end of the chain names another entry than this one')
    : null
}

const judgeHead = (signer: Signer | null, chain: ChainRow): ChainBreak | null => {
  const { organization_id: organizationId, sequence, hash, seal, broken_at } = chain
  if (broken_at !== null)
    return breakAt(
      'forged',
      broken_at,
      'when it was written, the end before it had not been sealed by this service: entries were rewritten, added or cut',
    )
  if (!signer || !hash || sequence === 0) return null
  return seal && isSealOf(signer, { organizationId, sequence, hash }, seal)
    ? null
    : breakAt(
        'forged',
        sequence,
        'the end of the chain was not sealed by this service: entries were rewritten, added or cut',
      )
}

/** Asked again at the end, since honest entries may have come meanwhile. */
const findAdded = async (db: Queryable, chain: ChainRow): Promise<ChainBreak | null> => {
  const { head, last } = await auditStore.ends(db, chain.organization_id)
  return last > head ? breakAt('added', head + 1, `the chain ends at entry ${head}`) : null
}

const breakAt = (kind: BreakKind, sequence: number, text: string): ChainBreak => ({ kind, sequence, text })
