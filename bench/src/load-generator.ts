import { readFileSync } from 'node:fs'
import { Client } from 'undici'
import { type Figures, percentile } from './figures.ts'
import type { Ask, Load } from './load.ts'

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

  const exchange = (client: Client, [path, body]: Ask): Promise<void> =>
    new Promise((resolve, reject) => {
      const startedAt = performance.now()
      let status = 0
      let text = ''
      client.dispatch(
        { path, method: 'POST', headers: load.headers, body },
        {
          onRequestStart: () => undefined,
          onResponseStart: (_controller, statusCode) => {
            status = statusCode
          },
          onResponseData: (_controller, chunk) => {
            if (status !== load.expectedStatus) text += String(chunk)
          },
          onResponseEnd: () => {
            if (status !== load.expectedStatus) {
              reject(new Error(`${path} answered ${status}: ${text}`))
              return
            }
            const endedAt = performance.now()
            if (startedAt >= from) {
              latencies[answers++] = endedAt - startedAt
              lastAnswerAt = endedAt
            }
            resolve()
          },
          onResponseError: (_controller, error) => reject(error),
        },
      )
    })

  const call = async (): Promise<void> => {
    const client = new Client(load.origin, { pipelining: 1 })
    for (let ask = takeAsk(); ask; ask = takeAsk()) await exchange(client, ask)
    await client.close()
  }
  await Promise.all(Array.from({ length: load.connections }, call))

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
