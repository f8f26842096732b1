import { readFileSync } from 'node:fs'
import { type Connection, openConnection } from './connection.ts'
import { type Figures, percentile } from './figures.ts'
import type { Load, LoadRequest } from './load.ts'

/**
 * Runs as a separate process, so that the load does not use the event loop of the measured server. Each connection sends a request,
 * waits for the whole response, and sends the next one. It stops when the time is up and at least one response has been received,
 * or when no requests are left.
 */
const MAX_RESPONSES = 2_000_000

const run = async (load: Load): Promise<Figures> => {
  const { requests } = load
  const latencies = new Float64Array(MAX_RESPONSES)
  let responses = 0
  let next = 0
  let exhausted = false
  // Opening sessions is not part of the measurement.
  const connections = await Promise.all(Array.from({ length: load.connections }, () => openConnection(load)))
  const from = performance.now() + load.warmUpMilliseconds
  const until = from + load.seconds * 1000
  let lastResponseAt = from

  const nextRequest = (): LoadRequest | undefined => {
    // If the machine stalls for longer than the measurement, it still waits for one response; a rate needs at least one.
    if ((performance.now() >= until && responses > 0) || responses >= MAX_RESPONSES) return undefined
    if (next >= requests.length && load.requestsAreReusable) next = 0
    exhausted ||= next >= requests.length
    return requests[next++]
  }

  const call = async (connection: Connection): Promise<void> => {
    for (let request = nextRequest(); request; request = nextRequest()) {
      const startedAt = performance.now()
      await connection.exchange(request)
      const endedAt = performance.now()
      if (startedAt < from) continue
      latencies[responses++] = endedAt - startedAt
      lastResponseAt = endedAt
    }
    await connection.close()
  }
  await Promise.all(connections.map(call))

  const sorted = latencies.subarray(0, responses).toSorted()
  return {
    perSecond: responses / ((lastResponseAt - from) / 1000) || 0,
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
    responses,
    exhausted,
  }
}

const load = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Load
process.stdout.write(JSON.stringify(await run(load)))
