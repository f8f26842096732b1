import { checkDueTools } from './features/connectors/mcp-servers/check-mcp-tools.ts'
import { mcpConnectorStore } from './features/connectors/mcp-servers/mcp-connector-store.ts'
import { credentialStore } from './features/credentials/credential-store.ts'
import { refreshResting } from './features/credentials/keep-alive.ts'
import { revokeDueTokens } from './features/credentials/revoke-tokens.ts'
import { retireOrganizationKeys } from './features/credentials/rotation/rotate-retire.ts'
import { endOverdueSecrets } from './features/credentials/waiting-secrets.ts'
import { alertOnBreak, endAbandoned } from './features/events/audit-trail.ts'
import { deleteOldSessions } from './features/link/sessions/jobs.ts'
import { allowanceStore } from './features/metering/limits/allowance-store.ts'
import { usageStore } from './features/metering/limits/usage-store.ts'
import { recordPartsStore } from './features/metering/records/record-parts-store.ts'
import { ruleViolationStore } from './features/rules/rule-violation-store.ts'
import { admissionStore } from './features/tools/admission/admission-store.ts'
import { callAnswerStore } from './features/tools/calls/call-answer-store.ts'
import { mcpKeyStore } from './features/tools/mcp-keys/mcp-key-store.ts'
import { keptResultStore } from './features/tools/results/stored-result-store.ts'
import type { Features } from './features.ts'
import { deleteExpiredKeys } from './platform/idempotency-store.ts'
import type { Job } from './platform/jobs/queue.ts'
import { earlierUserKeysStore } from './platform/vault/earlier-user-keys-store.ts'

export const REVOCATION_JOB = 'revoke-tokens'

/** All scheduled jobs. Each finds its work in the database, so a missed tick only causes a delay. */
export const createJobs = (features: Features): Job[] => [
  { name: REVOCATION_JOB, cron: '* * * * *', run: () => revokeDueTokens(features) },
  {
    name: 'expire-codes',
    cron: '* * * * *',
    run: async () => {
      if ((await endOverdueSecrets(features.db)) > 0) await revokeDueTokens(features)
    },
  },
  {
    name: 'end-abandoned-changes',
    cron: '*/5 * * * *',
    run: async () => void (await endAbandoned({ ...features, onBreak: alertOnBreak(features.log) })),
  },
  { name: 'keep-alive', cron: '17 * * * *', run: () => refreshResting(features) },
  { name: 'check-tools', cron: '*/10 * * * *', run: () => checkDueTools(features) },
  {
    name: 'retention',
    cron: '*/10 * * * *',
    run: async () => {
      await features.db.query(deleteExpiredKeys)
      await deleteOldSessions(features.db)
      await credentialStore.deleteOldReceipts(features.db)
      await admissionStore.markUnknown(features.db)
      await allowanceStore.forget(features.db)
      // Aggregated before the records are dropped.
      await usageStore.sumUp(features.db)
      await recordPartsStore.turnOver(features.db)
      await earlierUserKeysStore.forget(features.db)
      await mcpKeyStore.deleteExpired(features.db)
      await callAnswerStore.deleteExpired(features.db)
      await callAnswerStore.emptySurplus(features.db)
      await keptResultStore.deleteExpired(features.db)
      await ruleViolationStore.deleteOld(features.db)
      await mcpConnectorStore.deleteRemoved(features.db)
      await retireOrganizationKeys(features)
    },
  },
]
