import { readConfig } from '../../../src/platform/config.ts'
import { createLog } from '../../../src/platform/log.ts'
import { startService } from '../../../src/service.ts'

/**
 * The service with ROLE=worker as its own process, with shorter times than in production: a lease of two seconds instead of 45, so that a
 * run with many kills takes minutes, and retries within a second.
 */
const config = readConfig({ ...process.env, ROLE: 'worker' })
await startService(config, createLog(config.logLevel), {
  webhookWorker: {
    idleMs: 50,
    attemptTimeoutMs: 500,
    pageMs: 500,
    leaseMs: 2000,
    retryDelaysMs: Array.from({ length: 10_000 }, () => 300),
    breakerWaitsMs: [0, 0, 0, 0, 100, 200, 400],
  },
})
process.stdout.write('ready\n')
