import type { ToolCallDetail } from '@carabiner/contract'
import { Refusal } from '../../../core/refusal.ts'
import { isUuid } from '../../../core/uuid.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { Log } from '../../../platform/log.ts'
import { SealBroken } from '../../../platform/vault/sealing.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import { type CallPayload, type KeptText, openPayload } from './call-payload.ts'
import type { Owner, RecordDetailRow } from './record-row.ts'
import { recordStore } from './record-store.ts'
import { showRecord } from './show-record.ts'

type Deps = { db: Database; vault: Vault; log: Log }

/** One record with what was said in it, where that was kept. */
export const readRecord = async (deps: Deps, owner: Owner, id: string): Promise<ToolCallDetail> => {
  const row = isUuid(id) ? await recordStore.find(deps.db, owner, id) : null
  if (!row) throw new Refusal('tool_call_not_found')
  const { state, payload } = await open(deps, owner, row)
  return {
    ...showRecord(row),
    payload: state,
    arguments: valueOf(payload?.arguments),
    arguments_cut: payload?.arguments?.cut ?? false,
    result: valueOf(payload?.result),
    result_cut: payload?.result?.cut ?? false,
  }
}

type Opened = { state: ToolCallDetail['payload']; payload: CallPayload | null }

/** What does not open is said and told to the operator: somebody changed it, or a key is lost. The rest of the record is good. */
const open = async (
  { db, vault, log }: Deps,
  { organizationId }: Owner,
  row: RecordDetailRow,
): Promise<Opened> => {
  if (!row.payload || !row.user_key) return { state: 'none', payload: null }
  const registeredUserId = row.registered_user_id
  try {
    const userKey = await vault.openUserKey(organizationId, registeredUserId, row.user_key)
    const place = { organizationId, registeredUserId, callId: row.id }
    return { state: 'kept', payload: await openPayload(db, userKey, place, row.payload) }
  } catch (error) {
    if (!(error instanceof SealBroken)) throw error
    log.error(
      { error, organization_id: organizationId, tool_call_id: row.id },
      'the payload of a tool call does not open',
    )
    return { state: 'unreadable', payload: null }
  }
}

const valueOf = (kept: KeptText | null | undefined): unknown => {
  if (!kept) return null
  return kept.cut ? kept.text : JSON.parse(kept.text)
}
