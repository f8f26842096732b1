import { approvalStore } from './features/approvals/approval-store.ts'
import { endApprovals, voidChangedTools } from './features/approvals/end-approvals.ts'
import { hashOfDefinition } from './features/approvals/frozen-call.ts'
import { notifyMembers } from './features/approvals/notify-members.ts'
import { checkDueTools } from './features/connectors/mcp-servers/check-mcp-tools.ts'
import { recheckRefused } from './features/credentials/health/recheck-refused.ts'
import { reportAtRisk } from './features/credentials/health/report-at-risk.ts'
import { resumeDue } from './features/credentials/pause-credential.ts'
import { endOverdueSecrets } from './features/credentials/pending-secrets.ts'
import { refreshIdle } from './features/credentials/refresh-idle.ts'
import { revokeDueTokens } from './features/credentials/revoke-tokens.ts'
import { alertOnBreak, endAbandoned } from './features/events/audit-trail.ts'
import { deleteRequested } from './features/operator/delete-requested.ts'
import { reportExpiringKeys } from './features/organizations/end-api-keys.ts'
import type { Features } from './features.ts'
import type { Job } from './platform/jobs/queue.ts'
import { retentionSteps, runRetention } from './retention.ts'

export const REVOCATION_JOB = 'revoke-tokens'

const hashOfFileTool =
  ({ connectors }: Features) =>
  (connectorSlug: string, name: string): string | null => {
    const tool = connectors.findShipped(connectorSlug)?.tools.find(candidate => candidate.name === name)
    return tool ? hashOfDefinition(tool) : null
  }

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
    name: 'end-approvals',
    cron: '* * * * *',
    run: async () => {
      await voidChangedTools(features.db, hashOfFileTool(features))
      await endApprovals(features.db)
      await notifyMembers(features)
      features.approvalMetrics.sampled(await approvalStore.samplePending(features.db))
    },
  },
  { name: 'resume-connections', cron: '* * * * *', run: () => resumeDue(features.db) },
  {
    name: 'end-abandoned-changes',
    cron: '*/5 * * * *',
    run: async () => void (await endAbandoned({ ...features, onBreak: alertOnBreak(features.log) })),
  },
  { name: 'delete-organizations', cron: '* * * * *', run: () => deleteRequested(features) },
  { name: 'report-expiring-keys', cron: '*/10 * * * *', run: () => reportExpiringKeys(features.db) },
  { name: 'recheck-refused', cron: '* * * * *', run: () => recheckRefused(features) },
  { name: 'report-at-risk', cron: '7 * * * *', run: () => reportAtRisk(features) },
  { name: 'keep-alive', cron: '17 * * * *', run: () => refreshIdle(features) },
  { name: 'check-tools', cron: '*/10 * * * *', run: () => checkDueTools(features) },
  {
    name: 'retention',
    cron: '*/10 * * * *',
    run: () => runRetention(retentionSteps(features), features.log),
  },
]
