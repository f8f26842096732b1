import type { Database } from '../../../platform/database/database.ts'
import type { ReadDatabase } from '../../../platform/database/read-database.ts'
import { SealBroken } from '../../../platform/vault/sealing.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import { type StoredText, unsealPayload } from './call-payload.ts'
import type { Owner } from './call-record.ts'
import { parseRecordFilter } from './record-filter.ts'
import { recordStore } from './record-store.ts'

type Deps = { db: Database; lists: ReadDatabase; vault: Vault }

/** A payload may have 128 KB, so few are held at a time. */
const BATCH_SIZE = 25

/** The stored results of the latest successful calls of a tool, newest first. Calls without a stored result are skipped. */
export async function* readRecordedResults(
  deps: Deps,
  owner: Owner,
  { tool, since }: { tool: string; since: Date },
): AsyncGenerator<StoredText> {
  const filter = { ...parseRecordFilter({ tool, outcome: 'success' }), since }
  for (let after: Parameters<typeof recordStore.page>[3] = null; ; ) {
    const page = await recordStore.page(deps.lists, owner, filter, after, BATCH_SIZE)
    const ids = page.rows.map(({ id }) => id)
    const found = ids.length > 0 ? await recordStore.payloads(deps.db, owner, ids, since) : []
    for (const row of found) {
      const result = await openResult(deps, owner, row)
      if (result) yield result
    }
    if (!page.next) return
    after = page.next
  }
}

type StoredPayload = Awaited<ReturnType<typeof recordStore.payloads>>[number]

const openResult = async (
  { db, vault }: Deps,
  { organizationId }: Owner,
  { id, registeredUserId, payload, userKey }: StoredPayload,
): Promise<StoredText | null> => {
  if (!payload || !userKey) return null
  try {
    const key = await vault.openUserKey(organizationId, registeredUserId, userKey)
    return (await unsealPayload(db, key, { organizationId, registeredUserId, callId: id }, payload)).result
  } catch (error) {
    if (error instanceof SealBroken) return null
    throw error
  }
}
