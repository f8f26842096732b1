import { rmSync } from 'node:fs'
import { ensureTools } from '../../../scripts/machine.ts'
import { startCluster } from '../../../scripts/postgres-cluster.ts'
import { prepareTemplates } from '../support/databases.ts'
import { liftPageLimits, startTestService } from '../support/test-service.ts'
import { proveHealth, recallOf } from './health/report.ts'
import type { SimulationResult } from './health/simulate.ts'
import { runThroughService } from './health/whole-service.ts'

/**
 * `npm run proof:health`: a simulated year of 10,000 accounts, whose vendors have outages and whose users revoke access, with the product's
 * detector. Then 200 accounts of a running service whose clock is moved. No healthy credential may be ended, revoked ones must be, and ends that can be
 * foreseen must be announced a day ahead. Takes about
 * five minutes; `SCALE` (0 to 1) and `ACCOUNTS` reduce the accounts, `SEED` changes the random numbers.
 */
const SCALE = Number(process.env.SCALE ?? 1)
const ACCOUNTS = Number(process.env.ACCOUNTS ?? 200)
const SEED = Number(process.env.SEED ?? 1)

const print = (line: string): void => void process.stdout.write(`${line}\n`)
// The cluster's child process does not keep this process alive, so a timer does.
const awake = setInterval(() => undefined, 1000)

const proveService = async (): Promise<string[]> => {
  const t = await startTestService('postgres')
  liftPageLimits(t)
  try {
    const { calls, refused, revoked, announced, problems } = await runThroughService(t, {
      accounts: ACCOUNTS,
      seed: SEED,
    })
    print(
      `${ACCOUNTS} accounts of a service: ${calls} calls, ${refused} refused, ${revoked} grants revoked, ${announced} ends announced`,
    )
    return problems
  } finally {
    await t.stop()
  }
}

const results: SimulationResult[] = []
const problems = proveHealth({ seed: SEED, scale: SCALE }, result => {
  results.push(result)
  print(
    `${result.name}: ${result.accounts} accounts, ${result.calls} calls, ${result.ended + result.healthyEnded} ended, ${result.healthyEnded} of them healthy; at most ${Math.round(result.longestDelayHours)} hours after a call; ${result.warnings} warnings${result.foreseeable > 0 ? `, ${result.foreseen} of ${result.foreseeable} foreseeable ends announced a day ahead` : ''}`,
  )
})
print(`recall of the announcements: ${recallOf(results).toFixed(4)}`)
ensureTools()
const cluster = await startCluster()
const { pgliteTemplate } = await prepareTemplates(cluster.url)
process.env.TEST_POSTGRES_URL = cluster.url
process.env.TEST_PGLITE_TEMPLATE = pgliteTemplate
problems.push(...(await proveService().catch((error: Error) => [String(error.stack ?? error)])))
await cluster.stop()
rmSync(pgliteTemplate, { recursive: true, force: true })
clearInterval(awake)
for (const problem of problems) print(`✖ ${problem}`)
if (problems.length === 0) print('✔ no healthy credential was ended, and the foreseeable ends were announced')
process.exit(problems.length === 0 ? 0 : 1)
