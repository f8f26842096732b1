import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ensureTools } from '../../../scripts/machine.ts'
import { startCluster } from '../../../scripts/postgres-cluster.ts'
import { type Repeats, repeatChanged } from '../support/approvals/changed-repeats.ts'
import { type KilledCalls, killDuringCalls } from '../support/approvals/killed-calls.ts'
import { prepareTemplates } from '../support/databases.ts'

/**
 * `npm run proof:approvals`: repeats approved calls, each changed in one respect; none may be carried out, and each must ask again. Then kills
 * one of two processes between decision and result, of repeats and of tasks; no call may be carried out twice, and none may be lost. Takes about an hour;
 * `REPEATS` and `KILLS` shorten it. A run that was stopped is continued by the next one.
 */
const REPEATS = Number(process.env.REPEATS ?? 100_000)
const PARTS = 5
const KILLS = Number(process.env.KILLS ?? 500)

type Counts = { [name: string]: number | string[] | Counts }
/** The sum of numbers, at any depth, and all of the problems. */
const merge = <C extends Counts>(a: C, b: C): C =>
  Object.fromEntries(
    [...new Set([...Object.keys(a), ...Object.keys(b)])].map(name => {
      const [left, right] = [a[name], b[name]]
      if (typeof left === 'number' || typeof right === 'number')
        return [name, ((left as number) ?? 0) + ((right as number) ?? 0)]
      if (Array.isArray(left) && Array.isArray(right)) return [name, [...left, ...right]]
      return [name, merge((left ?? {}) as Counts, (right ?? {}) as Counts)]
    }),
  ) as C

const NO_REPEATS: Repeats = { repeats: 0, carriedOut: 0, approved: 0, ranOnce: 0, problems: [] }
const NO_KILLS: KilledCalls = { kills: 0, ends: {}, carriedOutTwice: 0, lost: 0, problems: [] }

const STATE = join(import.meta.dirname, '../../../.cache/proof-approvals.json')
type State = { repeats: Repeats; calls: KilledCalls; tasks: KilledCalls }
const state: State = existsSync(STATE)
  ? (JSON.parse(readFileSync(STATE, 'utf8')) as State)
  : { repeats: NO_REPEATS, calls: NO_KILLS, tasks: NO_KILLS }
const save = (changed: Partial<State>): void => {
  Object.assign(state, changed)
  mkdirSync(dirname(STATE), { recursive: true })
  writeFileSync(STATE, JSON.stringify(state))
}

const print = (line: string): void => void process.stdout.write(`${line}\n`)
const describeRepeats = ({ repeats, approved, carriedOut, ranOnce }: Repeats): string =>
  `${repeats} changed repeats, ${carriedOut} carried out; ${approved} approved calls, ${ranOnce} carried out once`
const describeKills = (
  kind: 'calls' | 'tasks',
  { kills, ends, carriedOutTwice, lost }: KilledCalls,
): string =>
  `${kind}: ${kills} kills, ${carriedOutTwice} carried out twice, ${lost} lost: ${JSON.stringify(ends)}`

/** Each part has a service of its own. */
const repeatInParts = async (): Promise<void> => {
  const before = state.repeats
  const wanted = Math.ceil((REPEATS - before.repeats) / PARTS)
  if (wanted <= 0) return
  const parts = Array.from({ length: PARTS }, () => NO_REPEATS)
  await Promise.all(
    parts.map(async (_, part) => {
      const onProgress = (done: Repeats): void => {
        parts[part] = structuredClone(done)
        save({ repeats: parts.reduce(merge, before) })
        print(describeRepeats(state.repeats))
      }
      onProgress(await repeatChanged(wanted, { onProgress }))
    }),
  )
}

const killCalls = async (kind: 'calls' | 'tasks'): Promise<void> => {
  const before = state[kind]
  if (before.kills >= KILLS) return
  await killDuringCalls(KILLS - before.kills, {
    asTasks: kind === 'tasks',
    onProgress: done => {
      save({ [kind]: merge(before, structuredClone(done)) })
      if (state[kind].kills % 25 === 0) print(describeKills(kind, state[kind]))
    },
  })
}

// The cluster's child process does not keep this process alive, so a timer does.
const awake = setInterval(() => undefined, 1000)
ensureTools()
// Processes are killed, and the database is not.
const cluster = await startCluster({ fsync: 'off', max_connections: '300' })
const { pgliteTemplate } = await prepareTemplates(cluster.url)
process.env.TEST_POSTGRES_URL = cluster.url
process.env.TEST_PGLITE_TEMPLATE = pgliteTemplate

await Promise.all([repeatInParts(), killCalls('calls').then(() => killCalls('tasks'))])
await cluster.stop()
rmSync(pgliteTemplate, { recursive: true, force: true })
clearInterval(awake)

const { repeats, calls, tasks } = state
const problems = [...repeats.problems, ...calls.problems, ...tasks.problems]
const check = (what: string, isRight: boolean): void => void (isRight || problems.push(what))
check('a changed repeat was carried out', repeats.carriedOut === 0)
check('not every approved call was carried out once', repeats.ranOnce === repeats.approved)
for (const { carriedOutTwice, lost } of [calls, tasks]) {
  check('a call was carried out twice', carriedOutTwice === 0)
  check('an approved call was lost', lost === 0)
}
print(describeRepeats(repeats))
print(describeKills('calls', calls))
print(describeKills('tasks', tasks))
rmSync(STATE, { force: true })
for (const problem of problems) print(`✖ ${problem}`)
if (problems.length === 0) print('✔ only the approved call ran, once')
process.exit(problems.length === 0 ? 0 : 1)
