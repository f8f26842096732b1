import type { ResultFields } from '@carabiner/contract'
import { DAY } from '../../../core/duration.ts'
import { Refusal } from '../../../core/refusal.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { ReadDatabase } from '../../../platform/database/read-database.ts'
import { nextTurn } from '../../../platform/isolation/next-turn.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import type { Owner } from '../../metering/records/call-record.ts'
import { readRecordedResults } from '../../metering/records/recorded-results.ts'
import { parseToolName } from '../admission/tool-names.ts'
import { structureOf } from '../results/apply-view.ts'
import type { ToolResult } from '../results/tool-result.ts'
import { createFieldCounter } from './count-fields.ts'

type Deps = { db: Database; lists: ReadDatabase; vault: Vault }

const MAX_RESULTS = 50
const MAX_AGE = 30 * DAY
const MAX_SHOWN = 200

/** The fields in the stored results of a tool, largest first. Returns names of fields and no values. */
export const proposeView = async (
  deps: Deps,
  owner: Owner,
  tool: string,
  now = Date.now(),
): Promise<ResultFields> => {
  if (!parseToolName(tool)?.tool)
    throw new Refusal('invalid_request', {
      param: 'tool',
      message: '"tool" must be the name of a tool, such as "github__list_issues".',
    })
  const counter = createFieldCounter()
  const counts = { results: 0, skipped: 0, bytes: 0 }
  for await (const stored of readRecordedResults(deps, owner, { tool, since: new Date(now - MAX_AGE) })) {
    await nextTurn()
    const value = stored.cut ? undefined : structureOf(JSON.parse(stored.text) as ToolResult)
    if (value === undefined) counts.skipped++
    else {
      counts.results++
      counts.bytes += Buffer.byteLength(JSON.stringify(value))
      counter.add(value)
    }
    if (counts.results + counts.skipped >= MAX_RESULTS) break
  }
  return {
    tool,
    results: counts.results,
    skipped: counts.skipped,
    bytes: counts.bytes,
    fields: [...counter.fields]
      .map(([field, { bytes, results }]) => ({
        field,
        bytes,
        share: Math.round((1000 * bytes) / counts.bytes) / 1000,
        results,
      }))
      .toSorted((a, b) => b.bytes - a.bytes)
      .slice(0, MAX_SHOWN),
  }
}
