import type { AuditedChange, AuditOutcome, AuditTrail } from '../../core/audited-change.ts'
import { MINUTE, SECOND } from '../../core/duration.ts'
import { newUuid } from '../../core/uuid.ts'
import { coalesce } from '../../platform/database/coalesce.ts'
import { canRetrySeparately, type Database, type Queryable } from '../../platform/database/database.ts'
import type { Log } from '../../platform/log.ts'
import type { Signer } from '../../platform/vault/vault.ts'
import {
  type AuditEntry,
  findBreak,
  linkEntry,
  SERVICE_CHAIN,
  type StoredHead,
  sealBrokenHead,
  sealHead,
} from './audit-chain.ts'
import { auditStore } from './audit-store.ts'

/** Longer than any change takes; an older intent was left by a process that stopped. */
const ABANDONED_AFTER_MS = 10 * MINUTE
const SWEEP_BATCH = 1000

export type FinishedChange = { change: AuditedChange; outcome: AuditOutcome; intent?: string | undefined }
/** Called when a chain is first found to be broken. */
export type OnBreak = (organizationId: string, sequence: number) => void
type AppendOptions = {
  signer: Signer
  onBreak: OnBreak
  /** The organization whose chain starts with these entries. */
  startsChainOf?: string
}
type Deps = Omit<AppendOptions, 'startsChainOf'> & { db: Database }

/** Alerts operators that the audit trail was modified by someone with write access to the database. */
export const alertOnBreak =
  (log: Log): OnBreak =>
  (organizationId, sequence) =>
    log.error(
      { alert: 'audit_trail_broken', organization_id: organizationId, count: sequence },
      'the audit trail was modified outside of this service; run `carabiner audit verify`',
    )

/**
 * Appends to the chains of the given organizations in the given transaction. A chain whose head was not sealed by this
 * service is permanently marked as broken. It is still appended to, because rejecting every change would be worse.
 */
export const appendEntries = async (
  tx: Queryable,
  { signer, onBreak, startsChainOf }: AppendOptions,
  finished: FinishedChange[],
): Promise<void> => {
  const organizations = [...new Set(finished.map(({ change }) => change.organizationId))]
  const heads = new Map<string, StoredHead>()
  for (const head of await auditStore.lockHeads(tx, organizations)) {
    const allowNew = head.organizationId === startsChainOf || head.organizationId === SERVICE_CHAIN
    const brokenAt = findBreak(signer, head, { allowNew })
    if (brokenAt !== null && head.brokenAt === null) onBreak(head.organizationId, brokenAt)
    heads.set(head.organizationId, { ...head, brokenAt })
  }
  const entries: AuditEntry[] = []
  for (const { change, outcome } of finished) {
    const head = heads.get(change.organizationId)
    if (!head) throw new Error('the chain has no head')
    const entry = linkEntry(head, change, outcome)
    entries.push(entry)
    heads.set(change.organizationId, { ...head, sequence: entry.sequence, hash: entry.hash })
  }
  const sealed = [...heads.values()].map(head => ({
    ...head,
    seal: head.brokenAt === null ? sealHead(signer, head) : sealBrokenHead(signer, head, head.brokenAt),
  }))
  await auditStore.write(
    tx,
    entries,
    sealed,
    finished.flatMap(({ change, intent }) =>
      intent ? { organizationId: change.organizationId, id: intent } : [],
    ),
  )
}

/** Concurrent entries are batched into one transaction, because each needs exclusive access to the end of the chain. */
export const createAuditTrail = ({ db, ...appending }: Deps): AuditTrail => {
  const append = (finished: FinishedChange[]) => db.transaction(tx => appendEntries(tx, appending, finished))
  const appendBatched = coalesce<FinishedChange, null>(
    async finished => {
      await append(finished)
      return finished.map(() => null)
    },
    {
      // After a connection error the insert may or may not have committed, so it is not retried.
      retrySeparately: async (ending, failure) => {
        if (!canRetrySeparately(failure)) throw failure
        await append([ending])
        return null
      },
    },
  )
  return {
    begin: async change => {
      const id = newUuid()
      await auditStore.begin(db, id, change)
      return id
    },
    end: async (change, outcome, intent) => {
      await appendBatched({ change, outcome, intent })
    },
    drop: async (change, intent) => {
      await auditStore.drop(db, { organizationId: change.organizationId, id: intent })
    },
  }
}

/**
 * Ends changes whose process stopped before recording the outcome. They may or may not have taken effect, so their outcome
 * is `unknown`.
 */
export const endAbandoned = async ({ db, ...appending }: Deps): Promise<number> => {
  const found = await auditStore.abandoned(db, ABANDONED_AFTER_MS / SECOND, SWEEP_BATCH)
  if (found.length === 0) return 0
  return db.transaction(async tx => {
    const locked = await auditStore.lockIntents(
      tx,
      found.map(({ id, change }) => ({ organizationId: change.organizationId, id })),
    )
    const remaining = found.filter(({ id }) => locked.has(id))
    if (remaining.length > 0)
      await appendEntries(
        tx,
        appending,
        remaining.map(({ id, change }) => ({ change, outcome: 'unknown', intent: id })),
      )
    return remaining.length
  })
}

type ChangeSteps<T> = {
  run: () => Promise<T>
  /** Details of the change that are only known afterwards. */
  describe?: ((result: T) => Partial<AuditedChange>) | undefined
  /** Whether the error occurred before any change; such a command leaves no entry. */
  isRefusal: (error: unknown) => boolean
}

/** Records a change that does not come from a request. If it fails, its outcome is recorded as `unknown`. */
export const recordChange = async <T>(
  trail: AuditTrail,
  change: AuditedChange,
  { run, describe = () => ({}), isRefusal }: ChangeSteps<T>,
): Promise<T> => {
  const intent = await trail.begin(change)
  const result = await run().catch(async error => {
    const ended = isRefusal(error) ? trail.drop(change, intent) : trail.end(change, 'unknown', intent)
    await ended.catch(() => undefined)
    throw error
  })
  await trail.end({ ...change, ...describe(result) }, 'done', intent)
  return result
}
