import { setImmediate } from 'node:timers/promises'
import { type PendingToolsImpact, pendingToolsBounds } from '@carabiner/contract'
import { DAY } from '../../../core/duration.ts'
import type { Mode } from '../../../core/mode.ts'
import { Refusal } from '../../../core/refusal.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { ReadDatabase } from '../../../platform/database/read-database.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import { requireMcpConnector } from '../../connectors/mcp-servers/change-mcp-connector.ts'
import { findPendingChange } from '../../connectors/mcp-servers/describe-tools.ts'
import { readRecordedArguments } from '../../metering/records/recorded-arguments.ts'
import { createPendingCheck } from './rejected-arguments.ts'

export type ImpactDeps = { db: Database; lists: ReadDatabase; vault: Vault }

const MODES: readonly Mode[] = ['production', 'test']
/** Reasons that are listed. Further ones are counted. */
const MAX_FAILURES = 20

/** Checks the recorded arguments of the last days against the definitions that wait for review. */
export const checkPendingTools = async (
  deps: ImpactDeps,
  organizationId: string,
  slug: string,
  days: number,
): Promise<PendingToolsImpact> => {
  const connector = await requireMcpConnector(deps.db, organizationId, slug)
  const change = await findPendingChange(deps.db, connector)
  if (!change) throw new Refusal('no_pending_tools')
  const since = new Date(Date.now() - days * DAY)
  const check = createPendingCheck(change)
  const failures = new Map<string, PendingToolsImpact['failures'][number]>()
  const counts = { checked: 0, failing: 0, notChecked: 0 }
  let isComplete = true
  for (const mode of MODES)
    for await (const call of readRecordedArguments(
      deps,
      { organizationId, mode },
      { connector: slug, since },
    )) {
      if (counts.checked + counts.notChecked >= pendingToolsBounds.calls) {
        isComplete = false
        break
      }
      // Other requests run between two checks.
      await setImmediate()
      const verdict = call.arguments ? check(call.tool, call.arguments) : 'not_checked'
      if (verdict === 'not_checked') {
        counts.notChecked++
        continue
      }
      counts.checked++
      if (verdict === 'accepted') continue
      counts.failing++
      const key = JSON.stringify([call.tool, verdict.param, verdict.message])
      const known = failures.get(key)
      if (known) known.calls++
      else failures.set(key, { tool: call.tool, ...verdict, calls: 1, example_tool_call_id: call.id })
    }
  return {
    hash: change.hash,
    since: since.toISOString(),
    calls_checked: counts.checked,
    calls_failing: counts.failing,
    calls_not_checked: counts.notChecked,
    is_complete: isComplete,
    failures: [...failures.values()].toSorted((a, b) => b.calls - a.calls).slice(0, MAX_FAILURES),
  }
}
