import type { Database } from '../../../platform/database/database.ts'
import type { ReadDatabase } from '../../../platform/database/read-database.ts'
import { SealBroken } from '../../../platform/vault/sealing.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import { unsealPayload } from './call-payload.ts'
import type { CallRecord, Owner } from './call-record.ts'
import { parseRecordFilter } from './record-filter.ts'
import { recordStore } from './record-store.ts'

type Deps = { db: Database; lists: ReadDatabase; vault: Vault }

/** `arguments` is null if they were not stored completely, or cannot be decrypted. */
export type RecordedArguments = { id: string; tool: string; arguments: Record<string, unknown> | null }

/** A payload may have 128 KB, so few are held at a time. */
const BATCH_SIZE = 25

type Selection = { connector?: string | null; toolPackId?: string | null; since: Date }

/** `open`: decrypts the arguments of a call whose payload was read. */
export type RecordedBatch = {
  calls: CallRecord[]
  open: (call: CallRecord) => Promise<RecordedArguments['arguments']>
}

/** Records with their arguments, newest first. A batch can be empty. `hasPayload`: of which calls payloads are read. */
export async function* readRecordedBatches(
  deps: Deps,
  owner: Owner,
  { connector = null, toolPackId = null, since }: Selection,
  hasPayload: (call: CallRecord) => boolean,
): AsyncGenerator<RecordedBatch> {
  const filter = { ...parseRecordFilter({}), connector, toolPackId, since }
  for (let after: Parameters<typeof recordStore.page>[3] = null; ; ) {
    const page = await recordStore.page(deps.lists, owner, filter, after, BATCH_SIZE)
    const ids = page.rows.filter(hasPayload).map(({ id }) => id)
    const payloads = ids.length > 0 ? await recordStore.payloads(deps.db, owner, ids, since) : []
    const found = new Map(payloads.map(payload => [payload.id, payload]))
    yield {
      calls: page.rows,
      open: async ({ id }) => {
        const payload = found.get(id)
        return payload ? openArguments(deps, owner, payload) : null
      },
    }
    if (!page.next) return
    after = page.next
  }
}

/** The arguments of the latest calls of a connector that reached their provider, newest first. */
export async function* readRecordedArguments(
  deps: Deps,
  owner: Owner,
  selection: { connector: string; since: Date },
): AsyncGenerator<RecordedArguments> {
  const reached = ({ outcome }: CallRecord) => REACHED.has(outcome)
  for await (const { calls, open } of readRecordedBatches(deps, owner, selection, reached))
    for (const call of calls.filter(reached))
      yield { id: call.id, tool: call.tool, arguments: await open(call) }
}

const REACHED: ReadonlySet<string> = new Set(['success', 'error', 'unknown', 'withheld'])

type StoredPayload = Awaited<ReturnType<typeof recordStore.payloads>>[number]

const openArguments = async (
  { db, vault }: Deps,
  { organizationId }: Owner,
  { id, registeredUserId, payload, userKey }: StoredPayload,
): Promise<Record<string, unknown> | null> => {
  if (!payload || !userKey) return null
  try {
    const key = await vault.openUserKey(organizationId, registeredUserId, userKey)
    const opened = await unsealPayload(db, key, { organizationId, registeredUserId, callId: id }, payload)
    if (!opened.arguments || opened.arguments.cut) return null
    const value: unknown = JSON.parse(opened.arguments.text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch (error) {
    if (error instanceof SealBroken) return null
    throw error
  }
}
