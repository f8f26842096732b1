import { AIM_MS, CONNECTORS, runCatalogueBench } from './run-catalogue-bench.ts'

const WHAT = {
  parse: 'read and JSON.parse the same files',
  shipped: 'load them as shipped connectors',
  own: 'load them as an operator’s own, by every rule',
}
const ROUNDS = 9

const { bytes, median, fastest } = runCatalogueBench(ROUNDS)
process.stdout.write(
  `${CONNECTORS} connectors, ${Math.round(bytes / 1024)} KB; ${ROUNDS} cold starts each, in turn\n\n`,
)
for (const subject of ['parse', 'shipped', 'own'] as const)
  process.stdout.write(
    `${WHAT[subject].padEnd(50)} median ${median[subject].toFixed(0).padStart(4)} ms, fastest ${fastest[subject].toFixed(0).padStart(4)} ms, ${(median[subject] / median.parse).toFixed(1)}× of JSON.parse\n`,
  )
process.stdout.write(
  `\naim: shipped at most ${AIM_MS} ms where nothing else runs (the fastest start): ${fastest.shipped <= AIM_MS ? 'met' : 'missed'}\n`,
)
