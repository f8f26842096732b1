import { measureIsolation } from '../support/isolation/measure.ts'

/**
 * `npm run proof:isolation`: one organization attacks with schemas, patterns, DNS, slow servers, images and large bodies, while
 * another one calls. Reports the other one's latency, the longest CPU time that one turn of the event loop took (clients and hostile
 * servers run in the same process, so it is an upper bound), and the process's memory. A few minutes.
 */
const CALLS = Number(process.env.CALLS ?? 200)
const LANES = Number(process.env.LANES ?? 24)
const MAX_TURN_MS = 50

const cell = (value: unknown, width: number): string => String(value).padStart(width)
process.stdout.write(
  `${CALLS} calls during each attack of ${LANES} requests at once; milliseconds and megabytes\n`,
)
process.stdout.write(`${'attack'.padEnd(26)}   ok failed   p50   p99  turn   rss  outcomes\n`)
const problems: string[] = []
await measureIsolation({
  calls: CALLS,
  lanes: LANES,
  only: [process.env.ATTACK ?? ''],
  onMeasured: ({ attack, outcomes, victim, longestTurnMs, rssMb }) => {
    const { ok, failed, p50, p99 } = victim
    const cells = [
      cell(ok, 4),
      cell(failed, 6),
      cell(p50, 5),
      cell(p99, 5),
      cell(longestTurnMs, 5),
      cell(rssMb, 5),
    ]
    process.stdout.write(`${attack.padEnd(26)} ${cells.join(' ')}  ${JSON.stringify(outcomes)}\n`)
    if (failed > 0) problems.push(`${attack}: ${failed} calls of the other organization failed`)
    if (longestTurnMs > MAX_TURN_MS) problems.push(`${attack}: a turn of ${longestTurnMs} ms of CPU`)
  },
})
for (const problem of problems) process.stdout.write(`${problem}\n`)
process.exit(problems.length === 0 ? 0 : 1)
