import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { LABELED } from '../../../packages/detection/test/corpus.ts'
import { SCAN_CPU_MS } from '../../../server/src/features/rules/decide-action.ts'
import { table } from '../table.ts'
import { slowestHostileTexts } from './hostile-texts.ts'
import { meanRecall, milliseconds, type Subject, startRulesBench } from './run-rules-bench.ts'
import { SHARED } from './subjects.ts'
import type { Density } from './texts.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string' }, json: { type: 'string' } } })
const rounds = Number(values.rounds ?? 5)
if (!Number.isInteger(rounds) || rounds < 1 || rounds > 100)
  throw new Error('--rounds must be a whole number from 1 to 100')

const percent = (share: number): string => `${(share * 100).toFixed(1)}%`

const overview = (results: readonly Subject[]): string =>
  table([
    [
      '',
      'ms per 100 KB',
      'fastest',
      `recall, ${SHARED.length} shared entities`,
      `recall, all ${LABELED.length}`,
    ],
    ...results.map(result => [
      result.name,
      milliseconds(result).toFixed(2),
      Math.min(...result.rounds).toFixed(2),
      percent(meanRecall(result, SHARED)),
      percent(meanRecall(result, LABELED)),
    ]),
  ])

const TEXTS = 200
const bench = await startRulesBench()
const all: Partial<Record<Density, Subject[]>> = {}
for (const density of ['json', 'ordinary', 'dense'] as const) {
  const results = await bench.run(TEXTS, density, rounds)
  all[density] = results
  process.stdout.write(
    `${TEXTS} ${density === 'json' ? 'pages of records (JSON)' : `${density} texts`}, ${Math.round((results[0]?.size ?? 0) / 1024)} KB; ${rounds} rounds, interleaved; CPU time\n${overview(results)}\n\n`,
  )
}
await bench.stop()
const hostile = slowestHostileTexts()
process.stdout.write(
  `1 MB of hostile text, default rules, the slowest; CPU time (the service aborts a scan after ${SCAN_CPU_MS} ms)\n${table(
    hostile.map(({ piece, milliseconds: ms }) => [JSON.stringify(piece), `${ms.toFixed(0)} ms`]),
  )}\n\n`,
)
const dense = all.dense ?? []
process.stdout.write(
  `${table([
    ['recall, dense texts', ...dense.map(({ name }) => name)],
    ...LABELED.map(entity => [entity, ...dense.map(({ recall }) => percent(recall.get(entity) ?? 0))]),
  ])}\n`,
)
if (values.json)
  writeFileSync(
    values.json,
    JSON.stringify(all, (_, value: unknown) => (value instanceof Map ? Object.fromEntries(value) : value), 2),
  )
