import { visitStore } from './features/approval-pages/visit-store.ts'
import { approvalStore } from './features/approvals/approval-store.ts'
import { approvalGrantStore } from './features/approvals/grant-store.ts'
import { grantStore } from './features/authorization/grants/grant-store.ts'
import { requestStore } from './features/authorization/requests/request-store.ts'
import { mcpConnectorStore } from './features/connectors/mcp-servers/mcp-connector-store.ts'
import { revocationStore } from './features/credentials/revocation-store.ts'
import { retireOrganizationKeys } from './features/credentials/rotation/rotate-retire.ts'
import { eventStore } from './features/events/event-store.ts'
import { connectionsLinkStore } from './features/link/connections/connections-link-store.ts'
import { deleteOldSessions } from './features/link/sessions/delete-old-sessions.ts'
import { personSessionStore } from './features/members/person-session-store.ts'
import { allowanceStore } from './features/metering/limits/allowance-store.ts'
import { usageStore } from './features/metering/limits/usage-store.ts'
import { recordPartsStore } from './features/metering/records/record-partition-store.ts'
import { apiKeyStore } from './features/organizations/api-key-store.ts'
import { ruleViolationStore } from './features/rules/rule-violation-store.ts'
import { settlementStore } from './features/tools/admission/settlement-store.ts'
import { callAnswerStore } from './features/tools/calls/call-answer-store.ts'
import { mcpKeyStore } from './features/tools/mcp-keys/mcp-key-store.ts'
import { storedResultStore } from './features/tools/results/stored-result-store.ts'
import { revealedToolsStore } from './features/tools/search/revealed-tools-store.ts'
import { taskStore } from './features/tools/tasks/task-store.ts'
import { deliveryStore } from './features/webhooks/delivery-store.ts'
import type { Features } from './features.ts'
import { deleteExpiredKeys } from './platform/idempotency-store.ts'
import type { Log } from './platform/log.ts'
import { previousUserKeysStore } from './platform/vault/previous-user-keys-store.ts'

export type RetentionStep = { name: string; run: () => Promise<unknown> }

/** Everything that expires or is deleted by age. The steps do not depend on each other. */
export const retentionSteps = (features: Features): RetentionStep[] => {
  const { db } = features
  return [
    { name: 'idempotency keys', run: () => db.query(deleteExpiredKeys) },
    { name: 'link sessions', run: () => deleteOldSessions(db) },
    { name: 'connections links', run: () => connectionsLinkStore.deleteOld(db) },
    { name: 'revocation receipts', run: () => revocationStore.deleteOldReceipts(db) },
    { name: 'calls without an outcome', run: () => settlementStore.markUnknown(db) },
    { name: 'calls of ended approvals', run: () => approvalStore.forgetCalls(db) },
    { name: 'approvals', run: () => approvalStore.deleteOld(db) },
    { name: 'remembered approvals', run: () => approvalGrantStore.deleteEnded(db) },
    { name: 'tasks', run: () => taskStore.deleteExpired(db) },
    { name: 'visits of approvals', run: () => visitStore.deleteExpired(db) },
    { name: 'rate limits', run: () => allowanceStore.deleteExpired(db) },
    {
      // One step: records are dropped only after they have been added up.
      name: 'tool call records',
      run: async () => {
        await usageStore.aggregate(db)
        await recordPartsStore.rotatePartitions(db)
      },
    },
    { name: 'previous user keys', run: () => previousUserKeysStore.forget(db) },
    { name: 'API keys', run: () => apiKeyStore.deleteEnded(db) },
    { name: 'MCP keys', run: () => mcpKeyStore.deleteExpired(db) },
    { name: 'sign-in requests', run: () => requestStore.deleteExpired(db) },
    { name: 'grants of clients', run: () => grantStore.deleteExpired(db) },
    { name: 'stored answers', run: () => callAnswerStore.deleteExpired(db) },
    { name: 'answers beyond the limit of a user', run: () => callAnswerStore.clearOldest(db) },
    { name: 'large results', run: () => storedResultStore.deleteExpired(db) },
    { name: 'revealed tools', run: () => revealedToolsStore.deleteExpired(db) },
    { name: 'rule violations', run: () => ruleViolationStore.deleteOld(db) },
    { name: 'events', run: () => eventStore.deleteOld(db) },
    { name: 'webhook deliveries', run: () => deliveryStore.deleteOld(db) },
    { name: 'sessions of people', run: () => personSessionStore.deleteExpired(db) },
    { name: 'removed connectors', run: () => mcpConnectorStore.deleteRemoved(db) },
    { name: 'organization keys', run: () => retireOrganizationKeys(features) },
  ]
}

/** Runs every step, whatever happens to the others. Each failure is logged; the step runs again at the next tick. */
export const runRetention = async (steps: readonly RetentionStep[], log: Log): Promise<void> => {
  for (const { name, run } of steps) {
    try {
      await run()
    } catch (error) {
      log.error(
        { error, job: 'retention', step: name },
        'a retention step failed; it runs again at its next tick',
      )
    }
  }
}
