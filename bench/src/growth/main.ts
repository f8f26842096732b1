import { table } from '../table.ts'
import { type GrowthResult, runGrowth } from './run-growth.ts'

/**
 * `npm run proof:growth`: compares the latency of tools/call and tools/list in a large organization with a small one in the same
 * run. Takes about twelve minutes and 8 GB of temporary disk space.
 */
const MAX_RATIO = 1.2
const sizes = {
  connectors: Number(process.env.CONNECTORS ?? 1000),
  users: Number(process.env.USERS ?? 100_000),
  records: Number(process.env.RECORDS ?? 10_000_000),
}
const seconds = Number(process.env.SECONDS ?? 3)
const rounds = Number(process.env.ROUNDS ?? 5)

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

const results = await runGrowth({ sizes, seconds, rounds }, line => void process.stderr.write(`${line}\n`))
const isTooSlow = ({ ratio }: GrowthResult): boolean => ratio > MAX_RATIO
const rows = results.map(result => [
  `${result.size.toLocaleString('en')} ${result.growth}`,
  result.method,
  Math.min(...result.large).toFixed(2),
  `${result.ratio.toFixed(2)}×`,
  `${result.fastest.toFixed(2)}×`,
  isTooSlow(result) ? 'too slow' : '',
])
process.stdout.write(`${table([['with', 'p50 of', 'ms', 'ratio', 'fastest', ''], ...rows])}\n`)
const tooSlow = results.filter(isTooSlow)
process.stdout.write(
  tooSlow.length === 0
    ? `✔ no latency exceeds ${MAX_RATIO}× that of a small organization\n`
    : `✖ ${tooSlow.map(({ growth, method }) => `${method} with many ${growth}`).join(', ')}\n`,
)
process.exit(tooSlow.length === 0 ? 0 : 1)
