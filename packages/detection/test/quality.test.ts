import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileRules, ENTITIES, scanText } from '../src/index.ts'
import { BENIGN } from './benign.ts'
import { LABELED, makeCorpus } from './corpus.ts'
import { measure, precisionOf, qualityTable, recallOf } from './measure.ts'
import { seeded } from './random.ts'
import { allRules, defaultRules } from './rule-sets.ts'

const DOCUMENTS = 20_400
const MIN_RECALL = 0.99
const MIN_PRECISION = 0.98
const DICTIONARY_ENTITIES = ['PERSON', 'LOCATION']

test('every pattern has a recall of 0.99 and a precision of 0.98 on 20,400 labeled documents', t => {
  const patterns = compileRules({
    entities: Object.fromEntries(
      ENTITIES.filter(entity => !DICTIONARY_ENTITIES.includes(entity)).map(entity => [entity, {}]),
    ),
  })
  const quality = measure(makeCorpus(DOCUMENTS), patterns)
  t.diagnostic(`entity               labels  recall  precision\n${qualityTable(quality)}`)
  assert.deepEqual(
    LABELED.filter(entity => quality.get(entity) === undefined),
    [],
  )
  const low = [...quality].filter(
    ([, tally]) => recallOf(tally) < MIN_RECALL || precisionOf(tally) < MIN_PRECISION,
  )
  assert.deepEqual(
    low.map(([entity, { missed, unexpected }]) => [entity, missed.slice(0, 5), unexpected.slice(0, 5)]),
    [],
  )
})

test('the default rules match less than 0.2% of logs, code, hashes, versions and timestamps', t => {
  const random = seeded(7)
  const lines = Array.from({ length: 10_000 }, (_, n) =>
    (BENIGN[n % BENIGN.length] as (typeof BENIGN)[number])(random),
  )
  const matched = lines.filter(line => scanText(line, defaultRules).length > 0)
  t.diagnostic(`${matched.length} of ${lines.length} benign lines match the default rules`)
  assert.ok(matched.length / lines.length < 0.002, matched.slice(0, 10).join('\n'))
})

test('dictionaries and titles find more than 75% of names and places', t => {
  const random = seeded(3)
  const people = [
    'Jane Miller',
    'Dr. Wolfgang Schmidt',
    'Mr. Okonkwo',
    'Piotr Nowak',
    'Giulia Rossi',
    'Xochitl Quetzal',
    'Mrs. van der Berg',
  ]
  const places = ['Berlin', 'Warsaw', 'Singapore', 'Toulouse', 'Springfield', 'Kyoto']
  const sentences = ['{} called about the invoice.', 'Please ask {} about it.', 'We met {} last week.']
  const tally = { PERSON: [0, 0], LOCATION: [0, 0] }
  for (let n = 0; n < 600; n++)
    for (const [entity, values] of [
      ['PERSON', people],
      ['LOCATION', places],
    ] as const) {
      const value = random.pick(values)
      const text = random.pick(sentences).replace('{}', value)
      const found = scanText(text, allRules).some(
        match => match.entity === entity && text.slice(match.start, match.end).includes(value),
      )
      tally[entity][0] = (tally[entity][0] as number) + (found ? 1 : 0)
      tally[entity][1] = (tally[entity][1] as number) + 1
    }
  const share = ([found, all]: number[]): number => (found as number) / (all as number)
  t.diagnostic(
    `PERSON recall ${share(tally.PERSON).toFixed(2)}, LOCATION recall ${share(tally.LOCATION).toFixed(2)}`,
  )
  assert.ok(share(tally.PERSON) > 0.75 && share(tally.PERSON) < 1)
  assert.ok(share(tally.LOCATION) > 0.75 && share(tally.LOCATION) < 1)
})
