import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { LABELLED } from '../../../server/test/rules/corpus.ts'
import { table } from '../table.ts'
import { meanRecall, milliseconds, runRulesBench, SHARED, sizeOf, texts } from './run-rules-bench.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string' }, json: { type: 'string' } } })
const rounds = Number(values.rounds ?? 5)
if (!Number.isInteger(rounds) || rounds < 1 || rounds > 100)
  throw new Error('--rounds is a whole number from 1 to 100')

const documents = texts(200)
const results = await runRulesBench({ rounds, documents })
const percent = (share: number): string => `${(share * 100).toFixed(1)}%`

process.stdout.write(
  `${documents.length} texts, ${Math.round(sizeOf(documents) / 1024)} KB; ${rounds} rounds, in turn; processor time\n\n`,
)
process.stdout.write(
  `${table([
    [
      '',
      'ms per 100 KB',
      'fastest',
      `recall of ${SHARED.length} that all have`,
      `recall of ${LABELLED.length}`,
    ],
    ...results.map(result => [
      result.name,
      milliseconds(result).toFixed(2),
      Math.min(...result.rounds).toFixed(2),
      percent(meanRecall(result, SHARED)),
      percent(meanRecall(result, LABELLED)),
    ]),
  ])}\n\n`,
)
process.stdout.write(
  `${table([['redacted', ...results.map(({ name }) => name)], ...LABELLED.map(entity => [entity, ...results.map(({ recall }) => percent(recall.get(entity) ?? 0))])])}\n`,
)
if (values.json)
  writeFileSync(
    values.json,
    JSON.stringify(
      results.map(result => ({ ...result, recall: Object.fromEntries(result.recall) })),
      null,
      2,
    ),
  )
