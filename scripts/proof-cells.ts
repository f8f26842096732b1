import { rmSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { prepareTemplates } from '../server/test/support/databases.ts'
import { findViolations } from '../server/test/support/moves/check-move.ts'
import { addRecords } from '../server/test/support/moves/fill-records.ts'
import { type Acknowledged, startLoad } from '../server/test/support/moves/load.ts'
import { type MoveStage, openMoveStage } from '../server/test/support/moves/move-stage.ts'
import { type MoveReport, parseReport } from '../server/test/support/moves/parse-result.ts'
import { ensureTools } from './machine.ts'
import { startCluster } from './postgres-cluster.ts'

/**
 * `npm run proof:cells`: moves an organization with a million records back and forth between two cells under load, and kills the command at
 * random times. Nothing acknowledged may be lost, and no token. Takes about an hour; `-- --records 100000 --moves 3` takes a few minutes.
 */
const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '1000000' },
    moves: { type: 'string', default: '10' },
    /** Of the times at which the command is killed. */
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
const [RECORDS, MOVES, SEED] = [values.records, values.moves, values.seed].map(Number) as [
  number,
  number,
  number,
]
const LINKED_USERS = 4
const CODES = 3
const MAX_KILLS = 2

const print = (line: string): void => void process.stdout.write(`${line}\n`)
// The clusters' child processes do not keep this process alive, so a timer does.
const awake = setInterval(() => undefined, 1000)
const problems: string[] = []

/** Numbers in [0, 1) that depend on the seed only (mulberry32). */
const createRandom = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
}
const random = createRandom(SEED)

type Run = { report: MoveReport; kills: number; totalMs: number }

/** Kills the command up to twice, each time at a random part of the duration of a move, and then lets it end. */
const moveWithKills = async (stage: MoveStage, to: 'a' | 'b', durationMs: number): Promise<Run> => {
  const startedAt = performance.now()
  const wanted = Math.floor(random() * (MAX_KILLS + 1))
  for (let kills = 0; ; ) {
    const running = stage.startMove(to)
    const killAfter = kills < wanted ? random() * durationMs : null
    const timer =
      killAfter === null ? undefined : setTimeout(() => running.process.kill('SIGKILL'), killAfter)
    const { code, output } = await running.ended
    clearTimeout(timer)
    if (code === 0)
      return { report: parseReport(output), kills, totalMs: Math.round(performance.now() - startedAt) }
    if (code !== null) {
      // The last kill may have happened after the end of the move itself.
      if (kills > 0 && output.includes('is already in the cell'))
        return { report: nothingLeft(to), kills, totalMs: 0 }
      throw new Error(output)
    }
    const states = await Promise.all(
      Object.values(stage.cells).map(t =>
        t.query('select state from organizations where id = $1', [stage.organization.id]),
      ),
    )
    kills++
    print(`  killed after ${((killAfter as number) / 1000).toFixed(1)} s: ${describeStates(states)}`)
  }
}

const nothingLeft = (cell: string): MoveReport => ({
  id: '',
  cell,
  records: 0,
  records_ms: 0,
  rows: 0,
  frozen_ms: null,
})
const describeStates = (states: { state: string }[][]): string =>
  ['a', 'b'].map((name, index) => `${name} ${states[index]?.[0]?.state ?? 'without it'}`).join(', ')

const describeRun = ({ report, kills, totalMs }: Run): string => {
  const { records, records_ms: ms, rows, frozen_ms: frozenMs } = report
  const rate = records > 0 ? `, ${Math.round((records * 1000) / ms)} records/s` : ''
  const freeze = frozenMs === null ? 'frozen by a killed run' : `frozen for ${frozenMs} ms`
  return `${kills} kills, ${records} records${rate}, ${rows} rows, ${freeze}, ${Math.round(totalMs / 1000)} s in total`
}

const prove = async (opened: AsyncDisposableStack): Promise<Run[]> => {
  const stage = await openMoveStage(opened, { linkedUsers: LINKED_USERS, clusterSettings: {} })
  print(`adding ${RECORDS} records …`)
  await addRecords(stage.cells.a, stage.organization.id, RECORDS)
  const runs: Run[] = []
  let acknowledged: Acknowledged | undefined
  let durationMs = 5000
  for (let move = 0; move < MOVES; move++) {
    const to = move % 2 === 0 ? 'b' : 'a'
    const load = startLoad(stage, acknowledged)
    for (let n = 0; n < CODES; n++) load.codes.push(await stage.issueCode())
    print(`move ${move + 1} of ${MOVES} to ${to}`)
    const run = await moveWithKills(stage, to, durationMs)
    print(`  ${describeRun(run)}`)
    await delay(1000)
    await load.stop()
    const found = await findViolations(stage, load, to)
    for (const problem of found) print(`  ✖ ${problem}`)
    const errors = takeErrors(stage)
    if (found.length > 0) for (const line of errors) print(`    ${line}`)
    problems.push(...found.map(problem => `move ${move + 1}: ${problem}`))
    acknowledged = load.acknowledged
    print(
      `  acknowledged so far: ${acknowledged.calls.length} calls, ${acknowledged.users.length} users, ${acknowledged.confirmed.length} confirmed credentials, ${acknowledged.links} links; answers ${JSON.stringify(load.answers)}`,
    )
    runs.push(run)
    if (run.kills === 0) durationMs = run.totalMs
  }
  return runs
}

/** The errors that the cells have logged since the last move. */
const takeErrors = ({ cells }: MoveStage): string[] =>
  Object.values(cells).flatMap(({ logLines }) =>
    logLines.splice(0).filter(line => line.includes('"level":"error"')),
  )

const printSummary = (runs: Run[]): void => {
  const freezes = runs
    .flatMap(({ report }) => (report.frozen_ms === null ? [] : [report.frozen_ms / 1000]))
    .toSorted((a, b) => a - b)
  const middle = freezes[Math.floor(freezes.length / 2)]
  if (middle !== undefined)
    print(
      `freeze of ${freezes.length} moves without a kill during it: ${freezes[0]?.toFixed(1)} s min, ${middle.toFixed(1)} s median, ${freezes.at(-1)?.toFixed(1)} s max`,
    )
  const rates = runs
    .filter(({ report, kills }) => kills === 0 && report.records > 0)
    .map(({ report }) => (report.records * 1000) / report.records_ms)
  if (rates.length > 0)
    print(`records per second, without kills: ${rates.map(rate => Math.round(rate)).join(', ')}`)
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

ensureTools()
print(`${RECORDS} records, ${MOVES} moves, seed ${SEED}`)
const cluster = await startCluster()
const { pgliteTemplate } = await prepareTemplates(cluster.url)
process.env.TEST_POSTGRES_URL = cluster.url
process.env.TEST_PGLITE_TEMPLATE = pgliteTemplate
const opened = new AsyncDisposableStack()
await prove(opened)
  .then(printSummary)
  .catch((error: Error) => problems.push(String(error.stack ?? error)))
await opened.disposeAsync().catch((error: Error) => problems.push(String(error.stack ?? error)))
await cluster.stop()
rmSync(pgliteTemplate, { recursive: true, force: true })
clearInterval(awake)
for (const problem of problems) print(`✖ ${problem}`)
if (problems.length === 0) print('✔ no acknowledged write and no token was lost')
process.exit(problems.length === 0 ? 0 : 1)
