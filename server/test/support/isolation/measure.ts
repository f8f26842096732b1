import { setTimeout as delay } from 'node:timers/promises'
import { startDnsServer } from '../dns-server.ts'
import { startTestService } from '../test-service.ts'
import { type Attack, callOf, prepareAttacker } from './attacks.ts'
import { startClient } from './client.ts'
import { startHostileTools } from './hostile-tools.ts'

export type Measured = {
  attack: string
  /** Number of attack requests by outcome. */
  outcomes: Record<string, number>
  /** Outcomes that the attack must not have. A request in flight at its end is aborted. */
  unexpected: string[]
  /** Counts and latencies of the other organization's calls. */
  victim: { ok: number; failed: number; p50: number; p99: number }
  /** The longest time, in CPU milliseconds, for which the event loop of the service was blocked. */
  longestBlockMs: number
  rssMb: number
}

type Options = {
  /** Calls of the other organization during each attack. */
  calls: number
  /** Requests of the attack in flight at once. */
  lanes: number
  /** Only attacks whose name includes one of these. Default: all. */
  only?: string[]
  onMeasured?: (measured: Measured) => void
}

const SAMPLE_INTERVAL_MS = 2
const PAUSE_MS = 10
/** Long, so that on a busy machine tasks of the attacker are not rejected because of a slow queue. */
const MAX_TASK_WAIT_MS = 600_000

/** One organization runs each attack in turn while another one calls a tool. The first measurement is without an attack. */
export const measureIsolation = async ({
  calls,
  lanes,
  only = [''],
  onMeasured,
}: Options): Promise<Measured[]> => {
  const dns = await startDnsServer({})
  const t = await startTestService(
    'postgres',
    { DNS_SERVERS: dns.address, LOG_LEVEL: 'silent' },
    { maxTaskWaitMs: MAX_TASK_WAIT_MS },
  )
  const server = await startHostileTools()
  const body = { slug: 'hostile', name: 'Compliant', url: server.url }
  const created = await t.call('POST', '/api/v1/connectors', { body })
  if (created.status !== 201) throw new Error(created.text)
  const client = startClient()
  const victim = callOf(client, t, t.organization, (await t.createUser()).id, 'echo', { text: 'hello' })
  const attacker = await prepareAttacker(t)
  const results: Measured[] = []
  try {
    for (const attack of [
      null,
      ...attacker.attacks.filter(({ name }) => only.some(part => name.includes(part))),
    ]) {
      const measured = await measureOne(attack, victim, calls, lanes)
      attacker.server.releaseCalls()
      onMeasured?.(measured)
      results.push(measured)
    }
    return results
  } finally {
    await client.stop()
    await attacker.stop()
    await t.stop()
    await server.stop()
    dns.close()
  }
}

const measureOne = async (
  attack: Attack | null,
  victim: Attack['run'],
  calls: number,
  lanes: number,
): Promise<Measured> => {
  const stopping = new AbortController()
  const outcomes: Record<string, number> = {}
  const count = (outcome: string): void => {
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
  }
  const lane = async (): Promise<void> => {
    do count((await attack?.run(stopping.signal)) ?? 'none')
    while (!stopping.signal.aborted)
  }
  await victim(stopping.signal)
  // Once before the measurement, because the first request of a kind compiles code.
  if (attack && !attack.expected.includes('aborted')) await attack.run(stopping.signal)
  const longestBlock = sampleBlocking()
  const attacking = attack ? Array.from({ length: lanes }, lane) : []
  const latencies: number[] = []
  let ok = 0
  for (let n = 0; n < calls; n++) {
    const startedAt = performance.now()
    if ((await victim(new AbortController().signal)) === 'ok') ok++
    latencies.push(performance.now() - startedAt)
    await delay(PAUSE_MS)
  }
  // Each attack runs until it has an outcome, except those that never end.
  if (attack && !attack.expected.includes('aborted'))
    while (Object.keys(outcomes).length === 0) await delay(PAUSE_MS)
  stopping.abort()
  await Promise.all(attacking)
  const sorted = latencies.toSorted((a, b) => a - b)
  const at = (share: number): number => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0)
  return {
    attack: attack?.name ?? 'no attack',
    outcomes,
    unexpected: Object.keys(outcomes).filter(
      outcome => outcome !== 'aborted' && !attack?.expected.includes(outcome),
    ),
    victim: { ok, failed: calls - ok, p50: at(0.5), p99: at(0.99) },
    longestBlockMs: Math.round(longestBlock()),
    rssMb: Math.round(process.memoryUsage.rss() / 1024 / 1024),
  }
}

/** Samples the CPU time of this thread. A high value between two samples means that the event loop was blocked. */
const sampleBlocking = (): (() => number) => {
  const cpuMs = (): number => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  let last = cpuMs()
  let longest = 0
  const sample = (): void => {
    const now = cpuMs()
    longest = Math.max(longest, now - last)
    last = now
  }
  const timer = setInterval(sample, SAMPLE_INTERVAL_MS)
  return () => {
    clearInterval(timer)
    return longest
  }
}
