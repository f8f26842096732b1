import { randomInt } from 'node:crypto'
import { rmSync } from 'node:fs'
import { prepareTemplates } from '../server/test/support/databases.ts'
import { type EndState, keyIds, readEndState } from '../server/test/support/rotation/end-state.ts'
import {
  type Run,
  resultOf,
  rotateUnderTraffic,
  runAndKill,
} from '../server/test/support/rotation/killed-runs.ts'
import { openRotationStage } from '../server/test/support/rotation/stage.ts'
import type { Traffic } from '../server/test/support/rotation/traffic.ts'
import { ensureTools } from './machine.ts'
import { startCluster } from './postgres-cluster.ts'

/**
 * `npm run proof:rotation`: twenty thousand credentials on a PostgreSQL with durable storage are rotated during calls, refreshes,
 * links, confirmations, deactivations and deletions. The rotation is killed five times, then repeated without other load.
 */
const USERS = Number(process.env.USERS ?? 10_000)
const LINKED = 12
const KILLS = 5

const print = (line: string): void => void process.stdout.write(`${line}\n`)

const rate = (secrets: number, milliseconds: number): string => {
  const perSecond = secrets / (milliseconds / 1000)
  return `${Math.round(perSecond)} credentials/s; a million in about ${(1_000_000 / perSecond / 60).toFixed(1)} minutes`
}

const findProblems = (traffic: Traffic, runs: Run[], end: EndState): string[] => [
  ...traffic.failures,
  ...end.undecryptable.slice(0, 20),
  ...(runs.filter(({ killedAt }) => killedAt !== null).length < KILLS
    ? ['a run ended before it was killed']
    : []),
  ...(end.vaultKeys === 1 ? [] : [`${end.vaultKeys} vault keys are left`]),
  ...(end.generations.length === 1 ? [] : [`generations ${end.generations.join()} are left`]),
  ...(end.oldKeys.length === 0 ? [] : [`${end.oldKeys.length} old keys are still in use`]),
]

const prove = async (): Promise<string[]> => {
  const stage = await openRotationStage({ users: USERS, linked: LINKED })
  try {
    const before = await keyIds(stage)
    print(`${USERS} users with two credentials each; rotating, with ${KILLS} kills …`)
    const killAt = Array.from({ length: KILLS }, () => randomInt(1, Math.floor(USERS * 0.9)))
    const { runs, traffic } = await rotateUnderTraffic(stage, killAt)
    const { secrets } = resultOf(runs.at(-1) as Run)
    const busy = runs.reduce((sum, run) => sum + run.milliseconds, 0)
    print(`killed after ${runs.flatMap(({ killedAt }) => killedAt ?? []).join(', ')} users`)
    print(
      `concurrent requests: ${Object.entries(traffic.done)
        .map(([kind, count]) => `${count} × ${kind}`)
        .join(', ')}; ${traffic.failures.length} failed`,
    )
    print(`under load, including all ${runs.length} starts: ${rate(secrets, busy)}`)
    const [alone] = await runAndKill(stage, [])
    print(
      `without other load, including the start: ${rate(resultOf(alone as Run).secrets, (alone as Run).milliseconds)}`,
    )
    const end = await readEndState(stage, before)
    print(`a day later: ${end.decrypted} secrets can be decrypted, ${end.undecryptable.length} cannot`)
    return findProblems(traffic, runs, end)
  } finally {
    await stage.close()
  }
}

ensureTools()
const cluster = await startCluster()
const { pgliteTemplate } = await prepareTemplates(cluster.url)
process.env.TEST_POSTGRES_URL = cluster.url
process.env.TEST_PGLITE_TEMPLATE = pgliteTemplate
// The cluster's child process does not keep this process alive, so a timer does.
const awake = setInterval(() => undefined, 1000)
const problems = await prove().catch(error => [String(error?.stack ?? error)])
await cluster.stop()
rmSync(pgliteTemplate, { recursive: true, force: true })
clearInterval(awake)
for (const problem of problems) print(`✖ ${problem}`)
if (problems.length === 0) print('✔ no call failed, every secret can be decrypted, and no old key is in use')
process.exit(problems.length === 0 ? 0 : 1)
