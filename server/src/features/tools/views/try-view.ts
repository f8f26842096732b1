import type { ViewTried } from '@carabiner/contract'
import { Refusal } from '../../../core/refusal.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { Log } from '../../../platform/log.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import type { Owner } from '../../metering/records/call-record.ts'
import { readRecord } from '../../metering/records/read-record.ts'
import { requireFields } from '../../upstream/json-view.ts'
import { applyView } from '../results/apply-view.ts'
import { serializeResult, type ToolResult } from '../results/tool-result.ts'

type Deps = { db: Database; vault: Vault; log: Log }

/** Applies a view to the stored result of a call, as a call would. */
export const tryView = async (
  deps: Deps,
  owner: Owner,
  callId: string,
  fields: string[],
): Promise<ViewTried> => {
  requireFields(fields, 'view')
  const record = await readRecord(deps, owner, callId)
  if (record.result === null || record.result_truncated)
    throw new Refusal('invalid_request', {
      param: 'tool_call_id',
      message:
        'The result of this call was not stored, or not completely. Choose another call, and turn capture on if it is off.',
    })
  const whole = record.result as ToolResult
  const result = await applyView(whole, fields)
  return {
    result_bytes: Buffer.byteLength(serializeResult(whole)),
    view_bytes: Buffer.byteLength(serializeResult(result)),
    result,
  }
}
