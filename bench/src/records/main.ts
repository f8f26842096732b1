import { table } from '../table.ts'
import { type PageResult, runRecords } from './run-records.ts'

/**
 * `npm run proof:records`: compares the latency of pages of tool calls among 10 million records with 100,000 records in the same run.
 * Takes about ten minutes and 15 GB of temporary disk space.
 */
const MAX_RATIO = 2
const options = {
  small: Number(process.env.SMALL ?? 100_000),
  large: Number(process.env.RECORDS ?? 10_000_000),
  rounds: Number(process.env.ROUNDS ?? 3),
  samples: Number(process.env.SAMPLES ?? 200),
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

const { pages, usage } = await runRecords(options, line => void process.stderr.write(`${line}\n`))
const isTooSlow = ({ ratio }: PageResult): boolean => ratio > MAX_RATIO
const rows = pages.map(page => [
  page.name,
  ...[page.small.p50, page.small.p99, page.large.p50, page.large.p99].map(ms => ms.toFixed(2)),
  `${page.ratio.toFixed(2)}×`,
  isTooSlow(page) ? 'too slow' : '',
])
const head = ['50 per page, ms', 'p50 small', 'p99 small', 'p50 large', 'p99 large', 'p99 ratio', '']
process.stdout.write(`${table([head, ...rows])}\n\n`)
process.stdout.write(`${table(usage.map(({ name, ms }) => [name, `${ms.toFixed(0)} ms`]))}\n\n`)
const tooSlow = pages.filter(isTooSlow)
process.stdout.write(
  tooSlow.length === 0
    ? `✔ no p99 exceeds ${MAX_RATIO}× that among ${options.small.toLocaleString('en')} records\n`
    : `✖ ${tooSlow.map(({ name }) => name).join('; ')}\n`,
)
process.exit(tooSlow.length === 0 ? 0 : 1)
