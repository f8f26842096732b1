import { rmSync } from 'node:fs'
import { raceAccounts } from '../server/test/support/account-races.ts'
import { prepareTemplates } from '../server/test/support/databases.ts'
import { startTestService } from '../server/test/support/test-service.ts'
import { ensureTools } from './machine.ts'
import { startCluster } from './postgres-cluster.ts'

/**
 * `npm run proof:accounts`: many concurrent calls that name one of two accounts, while the accounts are linked again, replaced and
 * deleted and their tokens expire. No call may use an account that it did not name. Takes about three minutes.
 */
const ROUNDS = Number(process.env.ROUNDS ?? 200)
const CALLERS = Number(process.env.CALLERS ?? 16)

const print = (line: string): void => void process.stdout.write(`${line}\n`)
// The cluster's child process does not keep this process alive, so a timer does.
const awake = setInterval(() => undefined, 1000)

const prove = async (): Promise<string[]> => {
  const t = await startTestService('postgres')
  try {
    const { wrong, reached, changes, answers } = await raceAccounts(t, { rounds: ROUNDS, callers: CALLERS })
    print(`${reached} calls reached a provider during ${changes} changes of accounts`)
    for (const [answer, count] of Object.entries(answers)) print(`  ${answer}: ${count}`)
    return reached > 0 ? wrong : ['no call has reached a provider']
  } finally {
    await t.stop()
  }
}

ensureTools()
const cluster = await startCluster()
const { pgliteTemplate } = await prepareTemplates(cluster.url)
process.env.TEST_POSTGRES_URL = cluster.url
process.env.TEST_PGLITE_TEMPLATE = pgliteTemplate
const problems = await prove().catch((error: Error) => [String(error.stack ?? error)])
await cluster.stop()
rmSync(pgliteTemplate, { recursive: true, force: true })
clearInterval(awake)
for (const problem of problems) print(`✖ ${problem}`)
if (problems.length === 0) print('✔ every call used the account that it named')
process.exit(problems.length === 0 ? 0 : 1)
