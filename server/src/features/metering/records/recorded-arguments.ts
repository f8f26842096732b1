import type { Database } from '../../../platform/database/database.ts'
import type { ReadDatabase } from '../../../platform/database/read-database.ts'
import { SealBroken } from '../../../platform/vault/sealing.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import { unsealPayload } from './call-payload.ts'
import type { Owner } from './call-record.ts'
import { parseRecordFilter } from './record-filter.ts'
import { recordStore } from './record-store.ts'

type Deps = { db: Database; lists: ReadDatabase; vault: Vault }

/** `arguments` is null if they were not stored completely, or cannot be decrypted. */
export type RecordedArguments = { id: string; tool: string; arguments: Record<string, unknown> | null }

/** A payload may have 128 KB, so few are held at a time. */
const BATCH_SIZE = 25

/** The arguments of the latest calls of a connector that reached their provider, newest first. */
export async function* readRecordedArguments(
  deps: Deps,
  owner: Owner,
  { connector, since }: { connector: string; since: Date },
): AsyncGenerator<RecordedArguments> {
  const filter = { ...parseRecordFilter({ connector }), since }
  for (let after: Parameters<typeof recordStore.page>[3] = null; ; ) {
    const page = await recordStore.page(deps.lists, owner, filter, after, BATCH_SIZE)
    const ids = page.rows.filter(({ outcome }) => REACHED.has(outcome)).map(({ id }) => id)
    const found = ids.length > 0 ? await recordStore.payloads(deps.db, owner, ids, since) : []
    for (const row of found.toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id)))
      yield { id: row.id, tool: row.tool, arguments: await openArguments(deps, owner, row) }
    if (!page.next) return
    after = page.next
  }
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
