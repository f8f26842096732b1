import { table } from '../table.ts'
import { type PageFound, runRecords } from './run-records.ts'

/**
 * `npm run proof:records`: what a page of tool calls costs among ten million records, against a hundred thousand in the same run. About
 * ten minutes and 15 GB of disk, which it gives back.
 */
const MOST_RATIO = 2
const options = {
  small: Number(process.env.SMALL ?? 100_000),
  large: Number(process.env.RECORDS ?? 10_000_000),
  rounds: Number(process.env.ROUNDS ?? 3),
  samples: Number(process.env.SAMPLES ?? 200),
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

const { pages, usage } = await runRecords(options, line => void process.stderr.write(`${line}\n`))
const grows = ({ ratio }: PageFound): boolean => ratio > MOST_RATIO
const rows = pages.map(one => [
  one.what,
  ...[one.small.p50, one.small.p99, one.large.p50, one.large.p99].map(ms => ms.toFixed(2)),
  `${one.ratio.toFixed(2)}×`,
  grows(one) ? 'grew' : '',
])
const head = ['50 a page, ms', 'p50 small', 'p99 small', 'p50 large', 'p99 large', 'p99', '']
process.stdout.write(`${table([head, ...rows])}\n\n`)
process.stdout.write(`${table(usage.map(({ what, ms }) => [what, `${ms.toFixed(0)} ms`]))}\n\n`)
const grew = pages.filter(grows)
process.stdout.write(
  grew.length === 0
    ? `✔ no page costs ${MOST_RATIO}× what it does among ${options.small.toLocaleString('en')}\n`
    : `✖ ${grew.map(({ what }) => what).join('; ')}\n`,
)
process.exit(grew.length === 0 ? 0 : 1)
