import { measureIsolation } from '../support/isolation/measure.ts'

/**
 * `npm run proof:isolation`: one organization attacks with schemas, patterns, DNS, slow servers, images and large bodies, while
 * another one calls tools. Reports the latency of the other one, the longest time in CPU milliseconds that the event loop was
 * blocked, and the memory of the process, which contains the attacker's client and server in threads of their own. With one request of the
 * attacker at a time, the event loop must not be blocked for more than 50 ms. Takes a few minutes.
 */
const CALLS = Number(process.env.CALLS ?? 200)
const LANES = Number(process.env.LANES ?? 24)
const MAX_TURN_MS = 50
const only = [process.env.ATTACK ?? '']

const cell = (value: unknown, width: number): string => String(value).padStart(width)
const problems: string[] = []

const measure = async (calls: number, lanes: number): Promise<void> => {
  process.stdout.write(
    `${calls} calls during each attack, ${lanes} ${lanes === 1 ? 'request' : 'requests'} of it at once; milliseconds and megabytes\n` +
      `${'attack'.padEnd(26)}   ok failed   p50   p99  turn   rss  outcomes\n`,
  )
  await measureIsolation({
    calls,
    lanes,
    only,
    onMeasured: ({ attack, outcomes, unexpected, victim, longestBlockMs, rssMb }) => {
      const { ok, failed, p50, p99 } = victim
      const cells = [
        cell(ok, 4),
        cell(failed, 6),
        cell(p50, 5),
        cell(p99, 5),
        cell(longestBlockMs, 5),
        cell(rssMb, 5),
      ]
      process.stdout.write(`${attack.padEnd(26)} ${cells.join(' ')}  ${JSON.stringify(outcomes)}\n`)
      if (failed > 0) problems.push(`${attack}: ${failed} calls of the other organization failed`)
      for (const outcome of unexpected) problems.push(`${attack}: outcome ${outcome}`)
      if (lanes === 1 && longestBlockMs > MAX_TURN_MS)
        problems.push(`${attack}: a turn of ${longestBlockMs} ms of CPU`)
    },
  })
}

await measure(Math.ceil(CALLS / 5), 1)
await measure(CALLS, LANES)
for (const problem of problems) process.stdout.write(`${problem}\n`)
process.exit(problems.length === 0 ? 0 : 1)
