import { rmSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { prepareTemplates } from '../server/test/support/databases.ts'
import {
  type Lags,
  type RunResult,
  runKilledWorkers,
} from '../server/test/support/webhooks/killed-workers.ts'
import type { Ledger } from '../server/test/support/webhooks/ledger.ts'
import { ensureTools } from './machine.ts'
import { startCluster } from './postgres-cluster.ts'

/**
 * `npm run proof:webhooks`: a hundred thousand events for three receivers, of which one is healthy, one flaps and one never answers. The
 * processes that deliver them are killed fifty times. Takes about ten minutes; `-- --events 5000 --kills 5` takes one.
 */
const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '100000' },
    kills: { type: 'string', default: '50' },
    'lag-events': { type: 'string', default: '1000' },
  },
})
const print = (line: string): void => void process.stdout.write(`${line}\n`)

const printResult = ({ events, kills, durationMs, receivers, lags }: RunResult): void => {
  const seconds = durationMs / 1000
  print(
    `${events} events and ${kills} kills in ${seconds.toFixed(0)} s: ${(events / seconds).toFixed(0)} events/s`,
  )
  const describe = ({ arrivals, requests, repeats }: Ledger) =>
    `${arrivals.size} events, ${requests} requests, ${repeats} repeats (${((100 * repeats) / arrivals.size).toFixed(2)} %)`
  print(`healthy receiver: ${describe(receivers.healthy)}`)
  print(`flapping receiver: ${describe(receivers.flapping)}`)
  print(`dead receiver: ${receivers.dead.requests} requests, none answered`)
  const show = (name: string, lag: Lags | null) =>
    lag && print(`lag of the healthy receiver ${name}: p50 ${lag.p50} ms, p99 ${lag.p99} ms`)
  show('during the kills', lags.underKills)
  show('with the dead endpoint', lags.withDead)
  show('while the dead endpoint is paused', lags.withoutDead)
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

ensureTools()
const cluster = await startCluster()
const { pgliteTemplate } = await prepareTemplates(cluster.url)
process.env.TEST_POSTGRES_URL = cluster.url
process.env.TEST_PGLITE_TEMPLATE = pgliteTemplate
// The cluster's child process does not keep this process alive, so a timer does.
const awake = setInterval(() => undefined, 1000)
const violations = await runKilledWorkers({
  events: Number(values.events),
  kills: Number(values.kills),
  failingPhases: 30,
  lagEvents: Number(values['lag-events']),
  print,
}).then(
  result => {
    printResult(result)
    return result.violations
  },
  (error: Error) => [String(error.stack ?? error)],
)
await cluster.stop()
rmSync(pgliteTemplate, { recursive: true, force: true })
clearInterval(awake)
for (const violation of violations.slice(0, 20)) print(`✖ ${violation}`)
if (violations.length > 20) print(`✖ and ${violations.length - 20} more`)
if (violations.length === 0)
  print('✔ every event arrived at both working receivers, signed, and in order per user')
process.exit(violations.length === 0 ? 0 : 1)
