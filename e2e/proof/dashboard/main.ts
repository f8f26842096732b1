import { rmSync } from 'node:fs'
import { cpus, loadavg, setPriority } from 'node:os'
import { parseArgs } from 'node:util'
import { ensureTools } from '../../../scripts/machine.ts'
import { DISPOSABLE_SETTINGS, startCluster } from '../../../scripts/postgres-cluster.ts'
import { prepareTemplates } from '../../../server/test/support/databases.ts'
import { startDashboard } from '../../support/dashboard.ts'
import { measureFirstLoad } from './first-load.ts'
import { followLiveTail } from './live-tail.ts'
import { scrollList, seedLists } from './long-lists.ts'
import { createReport, reportHeap, reportNodes, reportTasks } from './report.ts'
import { inScope } from './scope.ts'

/**
 * `npm run proof:dashboard`: the dashboard under load, in a real browser and against a real service on this machine. Takes about
 * seven minutes; `-- --only live|lists|load` runs one part, `--seconds` sets the time of each, `--rows` the length of the lists.
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'all' },
    seconds: { type: 'string', default: '60' },
    rate: { type: 'string', default: '200' },
    rows: { type: 'string', default: '100000' },
    loads: { type: 'string', default: '25' },
  },
})
const MAX_SCRIPT = 150 * 1024
const MAX_RATIO = 1.3
/** Of this process: the service and the load. The browser and the database keep the normal priority. */
const LOAD_PRIORITY = 10
const seconds = Number(values.seconds)
const isWanted = (part: string): boolean => values.only === 'all' || values.only === part

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))
ensureTools()
const report = createReport()
const cluster = await startCluster(DISPOSABLE_SETTINGS)
const { pgliteTemplate } = await prepareTemplates(cluster.url)
Object.assign(process.env, { TEST_POSTGRES_URL: cluster.url, TEST_PGLITE_TEMPLATE: pgliteTemplate })
const dashboard = await startDashboard()
setPriority(process.pid, LOAD_PRIORITY)
await dashboard.service.query(
  `update organizations set plan = 'enterprise', call_limit = null where id = $1`,
  [dashboard.service.organization.id],
)

try {
  if (isWanted('load')) {
    report.section('First load, at a fourth of the processor’s speed and without a cache')
    const { bareMs, pages } = await inScope(scope =>
      measureFirstLoad(dashboard, scope, { loads: Number(values.loads), onProgress: report.progress }),
    )
    report.note(`bare React page: first paint after ${bareMs.toFixed(0)} ms (median)`)
    for (const { name, scriptBytes, firstMs, ratio, largestMs, element } of pages) {
      report.figure(
        scriptBytes <= MAX_SCRIPT,
        `${name}: ${(scriptBytes / 1024).toFixed(1)} kB of compressed script; target: at most ${MAX_SCRIPT / 1024} kB`,
      )
      report.figure(
        ratio <= MAX_RATIO,
        `${name}: first paint after ${firstMs.toFixed(0)} ms, ${ratio.toFixed(2)} × the bare page; target: at most ${MAX_RATIO} ×`,
      )
      report.note(`its largest element after ${largestMs.toFixed(0)} ms: ${element}`)
    }
  }
  if (isWanted('live')) {
    const perSecond = Number(values.rate)
    report.section(`Live tail, ${perSecond} tool calls a second for ${seconds} s`)
    const live = await inScope(scope => followLiveTail(dashboard, scope, { perSecond, seconds }))
    const rate = live.calls / live.seconds
    report.figure(
      rate >= 0.95 * perSecond && live.failed === 0,
      `${live.calls.toLocaleString('en')} calls through MCP against the sandbox: ${rate.toFixed(0)} a second, ${live.failed} failed`,
    )
    report.figure(live.maxRows <= 500, `rows in the list: at most ${live.maxRows}; target: at most 500`)
    reportTasks(report, live.health)
    reportNodes(report, live.health)
    reportHeap(report, live.health)
  }
  if (isWanted('lists')) {
    const size = Number(values.rows)
    report.progress(`writing ${size.toLocaleString('en')} users and calls`)
    await seedLists(dashboard.service, size)
    for (const [name, path] of [
      ['Logs', '/logs'],
      ['Registered Users', '/users'],
    ] as const) {
      report.section(
        `${name} with ${size.toLocaleString('en')} rows, scrolled from the top for at most ${seconds} s`,
      )
      const list = await inScope(scope =>
        scrollList(dashboard, scope, {
          path,
          seconds,
          onProgress: rows => report.progress(`${rows.toLocaleString('en')} rows`),
        }),
      )
      report.note(`${list.rows.toLocaleString('en')} rows passed${list.isEnd ? ', the whole list' : ''}`)
      reportTasks(report, list.health)
      reportNodes(report, list.health)
      reportHeap(report, list.health)
    }
  }
} finally {
  await dashboard.stop()
  await cluster.stop()
  rmSync(pgliteTemplate, { recursive: true, force: true })
}
const [load = 0] = loadavg()
report.section(
  `Machine: ${cpus().length} × ${cpus()[0]?.model.trim()}, load ${load.toFixed(1)} at the end. The database ran on it too, and, at a lower priority (nice ${LOAD_PRIORITY}), the service and the load.`,
)
process.exit(report.allMet() ? 0 : 1)
