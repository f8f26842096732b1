import { readFileSync } from 'node:fs'
import { type Figures, percentile } from './figures.ts'
import type { Ask, Load } from './load.ts'
import { openTalk, type Talk } from './talk.ts'

/**
 * A process of its own, so that asking takes no time from answering. Each connection asks, waits for the whole answer, and
 * asks again, until the time is up and something was answered, or nothing is left to ask.
 */
const MOST_ANSWERS = 2_000_000

const run = async (load: Load): Promise<Figures> => {
  const { asks } = load
  const latencies = new Float64Array(MOST_ANSWERS)
  let answers = 0
  let next = 0
  let ranOut = false
  // Opening a session is no part of what is measured.
  const talks = await Promise.all(Array.from({ length: load.connections }, () => openTalk(load)))
  const from = performance.now() + load.warmUpMilliseconds
  const until = from + load.seconds * 1000
  let lastAnswerAt = from

  const takeAsk = (): Ask | undefined => {
    // On a machine that stalls for longer than the measurement, the first answer is still waited for: no answer is no figure.
    if ((performance.now() >= until && answers > 0) || answers >= MOST_ANSWERS) return undefined
    if (next >= asks.length && load.asksAreReusable) next = 0
    ranOut ||= next >= asks.length
    return asks[next++]
  }

  const call = async (talk: Talk): Promise<void> => {
    for (let ask = takeAsk(); ask; ask = takeAsk()) {
      const startedAt = performance.now()
      await talk.exchange(ask)
      const endedAt = performance.now()
      if (startedAt < from) continue
      latencies[answers++] = endedAt - startedAt
      lastAnswerAt = endedAt
    }
    await talk.close()
  }
  await Promise.all(talks.map(call))

  const sorted = latencies.subarray(0, answers).toSorted()
  return {
    perSecond: answers / ((lastAnswerAt - from) / 1000) || 0,
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
    answers,
    ranOut,
  }
}

const load = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Load
process.stdout.write(JSON.stringify(await run(load)))
