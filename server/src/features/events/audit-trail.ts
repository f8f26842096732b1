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

/** Longer than any change takes: an intent that is older was left by a process that is gone. */
const ABANDONED_AFTER = 10 * MINUTE
const SWEEP_BATCH = 1000

export type Ending = { change: AuditedChange; outcome: AuditOutcome; intent?: string | undefined }
/** Called when a chain is found broken that was not known to be. */
export type OnBreak = (organizationId: string, sequence: number) => void
type Appending = {
  signer: Signer
  onBreak: OnBreak
  /** The organization that these entries are the first of. */
  begins?: string
}
type Deps = Omit<Appending, 'begins'> & { db: Database }

/** The alert for operators: somebody who can write to the database has changed the trail. */
export const alertOnBreak =
  (log: Log): OnBreak =>
  (organizationId, sequence) =>
    log.error(
      { alert: 'audit_trail_broken', organization_id: organizationId, count: sequence },
      'the audit trail was changed outside this service; see `carabiner audit verify`',
    )

/**
 * Appends to the chains of the named organizations in the given transaction. A chain whose head was not sealed by this
 * service is marked as broken for good; it is still appended to, because a service that refuses every change is worse.
 */
export const appendEntries = async (
  tx: Queryable,
  { signer, onBreak, begins }: Appending,
  endings: Ending[],
): Promise<void> => {
  const organizations = [...new Set(endings.map(({ change }) => change.organizationId))]
  const heads = new Map<string, StoredHead>()
  for (const head of await auditStore.lockHeads(tx, organizations)) {
    const mayBegin = head.organizationId === begins || head.organizationId === SERVICE_CHAIN
    const brokenAt = findBreak(signer, head, { mayBegin })
    if (brokenAt !== null && head.brokenAt === null) onBreak(head.organizationId, brokenAt)
    heads.set(head.organizationId, { ...head, brokenAt })
  }
  const entries: AuditEntry[] = []
  for (const { change, outcome } of endings) {
    const head = heads.get(change.organizationId)
    if (!head) throw new Error('a chain has no head')
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
    endings.flatMap(({ intent }) => intent ?? []),
  )
}

/** One transaction for all who wait, since each of them needs the end of the chain for itself. */
export const createAuditTrail = ({ db, ...appending }: Deps): AuditTrail => {
  const append = (endings: Ending[]) => db.transaction(tx => appendEntries(tx, appending, endings))
  const appendTogether = coalesce<Ending, null>(
    async endings => {
      await append(endings)
      return endings.map(() => null)
    },
    {
      // After a lost connection nobody knows whether it was written: a second entry would tell of a change that never was.
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
      await appendTogether({ change, outcome, intent })
    },
    drop: async intent => {
      await auditStore.drop(db, intent)
    },
  }
}

/** Changes whose process went away before their end was written: they may have happened, and the trail says just that. */
export const endAbandoned = async ({ db, ...appending }: Deps): Promise<number> => {
  const found = await auditStore.abandoned(db, ABANDONED_AFTER / SECOND, SWEEP_BATCH)
  if (found.length === 0) return 0
  return db.transaction(async tx => {
    const mine = await auditStore.lockIntents(
      tx,
      found.map(({ id }) => id),
    )
    const left = found.filter(({ id }) => mine.has(id))
    if (left.length > 0)
      await appendEntries(
        tx,
        appending,
        left.map(({ id, change }) => ({ change, outcome: 'unknown', intent: id })),
      )
    return left.length
  })
}

type Work<T> = {
  run: () => Promise<T>
  /** What is known of the change only when it is made. */
  describe?: ((result: T) => Partial<AuditedChange>) | undefined
  /** Said before anything was changed: such a command leaves nothing. */
  isRefusal: (error: unknown) => boolean
}

/** Begin, change, end: for changes that come from no request. One that fails is told as `unknown`. */
export const recordChange = async <T>(
  trail: AuditTrail,
  change: AuditedChange,
  { run, describe = () => ({}), isRefusal }: Work<T>,
): Promise<T> => {
  const intent = await trail.begin(change)
  const result = await run().catch(async error => {
    const ended = isRefusal(error) ? trail.drop(intent) : trail.end(change, 'unknown', intent)
    await ended.catch(() => undefined)
    throw error
  })
  await trail.end({ ...change, ...describe(result) }, 'done', intent)
  return result
}
