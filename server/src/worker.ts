import { checkDueTools } from './features/connectors/mcp-servers/check-mcp-tools.ts'
import { resumeDue } from './features/credentials/pause-credential.ts'
import { endOverdueSecrets } from './features/credentials/pending-secrets.ts'
import { refreshIdle } from './features/credentials/refresh-idle.ts'
import { revokeDueTokens } from './features/credentials/revoke-tokens.ts'
import { alertOnBreak, endAbandoned } from './features/events/audit-trail.ts'
import { deleteRequested } from './features/operator/delete-requested.ts'
import type { Features } from './features.ts'
import type { Job } from './platform/jobs/queue.ts'
import { retentionSteps, runRetention } from './retention.ts'

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
  { name: 'resume-connections', cron: '* * * * *', run: () => resumeDue(features.db) },
  {
    name: 'end-abandoned-changes',
    cron: '*/5 * * * *',
    run: async () => void (await endAbandoned({ ...features, onBreak: alertOnBreak(features.log) })),
  },
  { name: 'delete-organizations', cron: '* * * * *', run: () => deleteRequested(features) },
  { name: 'keep-alive', cron: '17 * * * *', run: () => refreshIdle(features) },
  { name: 'check-tools', cron: '*/10 * * * *', run: () => checkDueTools(features) },
  {
    name: 'retention',
    cron: '*/10 * * * *',
    run: () => runRetention(retentionSteps(features), features.log),
  },
]
