import { rmSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { DISPOSABLE_SETTINGS, startCluster } from '../../../scripts/postgres-cluster.ts'
import { prepareTemplates } from '../../../server/test/support/databases.ts'
import { linkReport } from './link-report.ts'
import { runLinkBench } from './run-link-bench.ts'

const { values } = parseArgs({ options: { loads: { type: 'string' }, json: { type: 'string' } } })
const loads = Number(values.loads ?? 9)
if (!Number.isInteger(loads) || loads < 1) throw new Error('--loads must be a whole number, at least 1')

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

const cluster = await startCluster(DISPOSABLE_SETTINGS)
// The cluster's child process does not keep this process alive, so a timer does.
const awake = setInterval(() => undefined, 1000)
const { pgliteTemplate } = await prepareTemplates(cluster.url)
process.env.TEST_POSTGRES_URL = cluster.url
try {
  const result = await runLinkBench({ loads }, line => process.stderr.write(`${line}\n`))
  process.stdout.write(`\n${linkReport(result)}\n`)
  if (values.json) writeFileSync(values.json, JSON.stringify(result, null, 2))
} finally {
  await cluster.stop()
  rmSync(pgliteTemplate, { recursive: true, force: true })
  clearInterval(awake)
}
process.exit()
