import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import { cpus } from 'node:os'

/**
 * What a run of the tests costs, by cause: `npm test -- --costs` prints the table. Test processes append what they have measured to the
 * file that TEST_COSTS names. Without it, nothing is measured.
 */
type Cost = { count: number; cpuMs: number; wallMs: number }
type Line = { ownMs: number; childMs: number; wallMs: number; causes: Record<string, Cost> }

const file = process.env['TEST_COSTS']
const causes: Record<string, Cost> = {}

const ownCpu = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

const add = (cause: string, cost: Cost): void => {
  const sum = (causes[cause] ??= { count: 0, cpuMs: 0, wallMs: 0 })
  sum.count += cost.count
  sum.cpuMs += cost.cpuMs
  sum.wallMs += cost.wallMs
}

let isLoading = true

/** The processor time is that of the whole process meanwhile, so steps that run in parallel count it twice. */
export const measured = async <T>(cause: string, act: () => Promise<T>): Promise<T> => {
  if (file === undefined) return act()
  const [cpu, wall] = [ownCpu(), performance.now()]
  if (isLoading) {
    isLoading = false
    add('loading modules, until the first of the steps below', { count: 1, cpuMs: cpu, wallMs: wall })
  }
  try {
    return await act()
  } finally {
    add(cause, { count: 1, cpuMs: ownCpu() - cpu, wallMs: performance.now() - wall })
  }
}

const CLOCK_TICK_MS = 10

/** Fields 14 to 17 of /proc/PID/stat: processor time of the process, and of its children that have ended. */
const processTimes = (pid: number | 'self'): { own: number; children: number } => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  const ticks = (from: number): number => ((fields[from] ?? 0) + (fields[from + 1] ?? 0)) * CLOCK_TICK_MS
  return { own: ticks(11), children: ticks(13) }
}

/** Called at the start of every test process of a measured run. */
export const reportAtExit = (): void => {
  if (file === undefined) return
  process.once('exit', () => {
    const line: Line = {
      ownMs: ownCpu(),
      childMs: processTimes('self').children,
      wallMs: performance.now(),
      causes,
    }
    appendFileSync(file, `${JSON.stringify(line)}\n`)
  })
}

/** Processor time of a running server: the process, its children that have ended, and those that run. */
export const serverCpuMs = (pid: number): number => {
  const { own, children } = processTimes(pid)
  const running = readdirSync('/proc').filter(name => /^\d+$/.test(name))
  return running.reduce((sum, name) => {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
      return parent === pid ? sum + processTimes(Number(name)).own : sum
    } catch {
      // The process has ended meanwhile.
      return sum
    }
  }, own + children)
}

const row = (name: string, count: number | string, cpuMs: number, wallMs?: number): string =>
  `${name.padEnd(56)}${String(count).padStart(7)}${(cpuMs / 1000).toFixed(1).padStart(10)}${wallMs === undefined ? '' : (wallMs / 1000).toFixed(1).padStart(10)}`

/** What all cores of the machine have done since its start. */
export const machineTimes = (): { busyMs: number; idleMs: number } => {
  const times = cpus().map(cpu => cpu.times)
  const busyMs = times.reduce((sum, { user, nice, sys, irq }) => sum + user + nice + sys + irq, 0)
  return { busyMs, idleMs: times.reduce((sum, { idle }) => sum + idle, 0) }
}

type Totals = { postgresMs: number; busyMs: number; idleMs: number; wallMs: number }

export const costTable = (costsFile: string, { postgresMs, busyMs, idleMs, wallMs }: Totals): string => {
  const lines = readFileSync(costsFile, 'utf8')
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as Line)
  const total = (pick: (line: Line) => number): number => lines.reduce((sum, line) => sum + pick(line), 0)
  const byCause = new Map<string, Cost>()
  for (const line of lines)
    for (const [cause, cost] of Object.entries(line.causes)) {
      const sum = byCause.get(cause) ?? { count: 0, cpuMs: 0, wallMs: 0 }
      byCause.set(cause, {
        count: sum.count + cost.count,
        cpuMs: sum.cpuMs + cost.cpuMs,
        wallMs: sum.wallMs + cost.wallMs,
      })
    }
  const [own, children] = [total(({ ownMs }) => ownMs), total(({ childMs }) => childMs)]
  return [
    `${'cause'.padEnd(56)}${'count'.padStart(7)}${'cpu s'.padStart(10)}${'wall s'.padStart(10)}`,
    row(
      'test processes',
      lines.length,
      own,
      total(line => line.wallMs),
    ),
    ...[...byCause]
      .toSorted(([, a], [, b]) => b.cpuMs - a.cpuMs)
      .map(([cause, { count, cpuMs, wallMs: causeMs }]) => row(`  ${cause}`, count, cpuMs, causeMs)),
    row('programs that tests start (browsers, services, npm)', '', children),
    row('PostgreSQL', 1, postgresMs),
    row('pages of browsers, whose processes nobody waits for', '', busyMs - own - children - postgresMs),
    row('idle', '', idleMs, wallMs),
  ].join('\n')
}
