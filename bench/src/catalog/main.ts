import { AIM_MS, CONNECTORS, runCatalogBench } from './run-catalog-bench.ts'

const DESCRIPTIONS = {
  parse: 'read and JSON.parse the same files',
  shipped: 'load them as shipped connectors',
  operator: 'load them as connectors of the operator',
}
const ROUNDS = 9

const { bytes, median, fastest } = runCatalogBench(ROUNDS)
process.stdout.write(
  `${CONNECTORS} connectors, ${Math.round(bytes / 1024)} KB; ${ROUNDS} cold starts each, interleaved\n\n`,
)
for (const subject of ['parse', 'shipped', 'operator'] as const)
  process.stdout.write(
    `${DESCRIPTIONS[subject].padEnd(50)} median ${median[subject].toFixed(0).padStart(4)} ms, fastest ${fastest[subject].toFixed(0).padStart(4)} ms, ${(median[subject] / median.parse).toFixed(1)}× of JSON.parse\n`,
  )
process.stdout.write(
  `\naim: shipped at most ${AIM_MS} ms on an idle machine (the fastest start): ${fastest.shipped <= AIM_MS ? 'met' : 'missed'}\n`,
)
