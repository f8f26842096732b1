import type { ToolCallDetail } from '@carabiner/contract'
import { Refusal } from '../../../core/refusal.ts'
import { isUuid } from '../../../core/uuid.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { Log } from '../../../platform/log.ts'
import { SealBroken } from '../../../platform/vault/sealing.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import { type CallPayload, type StoredText, unsealPayload } from './call-payload.ts'
import type { CallRecordDetail, Owner } from './call-record.ts'
import { recordStore } from './record-store.ts'
import { stepsOf } from './recorded-steps.ts'
import { toRecord } from './to-record.ts'

type Deps = { db: Database; vault: Vault; log: Log }

/** Reads one record with its arguments and result, if they were stored. */
export const readRecord = async (deps: Deps, owner: Owner, id: string): Promise<ToolCallDetail> => {
  const record = isUuid(id) ? await recordStore.find(deps.db, owner, id) : null
  if (!record) throw new Refusal('tool_call_not_found')
  const { state, payload } = await decryptPayload(deps, owner, record)
  return {
    ...toRecord(record),
    error_message: payload?.failure?.message ?? null,
    error_param: payload?.failure?.param ?? null,
    steps: stepsOf(record),
    payload: state,
    arguments: valueOf(payload?.arguments),
    arguments_truncated: payload?.arguments?.cut ?? false,
    result: valueOf(payload?.result),
    result_truncated: payload?.result?.cut ?? false,
  }
}

type DecryptedPayload = { state: ToolCallDetail['payload']; payload: CallPayload | null }

/**
 * A payload that cannot be decrypted was modified, or its key is lost. It is reported as unreadable and logged for the
 * operator; the rest of the record is returned.
 */
const decryptPayload = async (
  { db, vault, log }: Deps,
  { organizationId }: Owner,
  record: CallRecordDetail,
): Promise<DecryptedPayload> => {
  if (!record.payload || !record.userKey) return { state: 'none', payload: null }
  const registeredUserId = record.registeredUserId
  try {
    const userKey = await vault.openUserKey(organizationId, registeredUserId, record.userKey)
    const location = { organizationId, registeredUserId, callId: record.id }
    const payload = await unsealPayload(db, userKey, location, record.payload)
    return { state: payload.arguments || payload.result ? 'kept' : 'none', payload }
  } catch (error) {
    if (!(error instanceof SealBroken)) throw error
    log.error(
      { error, organization_id: organizationId, tool_call_id: record.id },
      'the payload of a tool call cannot be decrypted',
    )
    return { state: 'unreadable', payload: null }
  }
}

const valueOf = (kept: StoredText | null | undefined): unknown => {
  if (!kept) return null
  return kept.cut ? kept.text : JSON.parse(kept.text)
}
