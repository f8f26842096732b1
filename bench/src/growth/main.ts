import { table } from '../table.ts'
import { type GrowthFound, runGrowth } from './run-growth.ts'

/**
 * `npm run proof:growth`: what tools/call and tools/list cost in an organization that has grown, against a small one in the same
 * run. About a quarter of an hour and 8 GB of disk, which it gives back.
 */
const MOST_RATIO = 1.2
const sizes = {
  connectors: Number(process.env.CONNECTORS ?? 1000),
  users: Number(process.env.USERS ?? 100_000),
  records: Number(process.env.RECORDS ?? 10_000_000),
}
const seconds = Number(process.env.SECONDS ?? 3)
const rounds = Number(process.env.ROUNDS ?? 5)

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

const found = await runGrowth({ sizes, seconds, rounds }, line => void process.stderr.write(`${line}\n`))
const grows = ({ ratio }: GrowthFound): boolean => ratio > MOST_RATIO
const rows = found.map(one => [
  `${one.size.toLocaleString('en')} ${one.what}`,
  one.method,
  Math.min(...one.large).toFixed(2),
  `${one.ratio.toFixed(2)}×`,
  `${one.fastest.toFixed(2)}×`,
  grows(one) ? 'grew' : '',
])
process.stdout.write(`${table([['with', 'p50 of', 'ms', 'to small', 'fastest', ''], ...rows])}\n`)
const grew = found.filter(grows)
process.stdout.write(
  grew.length === 0
    ? `✔ nothing costs ${MOST_RATIO}× what it does in a small organization\n`
    : `✖ ${grew.map(({ what, method }) => `${method} with many ${what}`).join(', ')}\n`,
)
process.exit(grew.length === 0 ? 0 : 1)
