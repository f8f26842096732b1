import { ENTITIES, type Entity } from '../src/index.ts'
import { BENIGN } from './benign.ts'
import { type Random, seeded } from './random.ts'
import { CONTEXT_FREE, CONTEXT_SENTENCES, KEYS, NEUTRAL_SENTENCES } from './sentences.ts'
import { SPECIMENS } from './specimens.ts'

export type Label = { entity: Entity; value: string }
/** A sentence, or a JSON value like the result of a tool. */
export type Document = { value: unknown; labels: Label[] }

export const LABELED = ENTITIES.filter(entity => SPECIMENS[entity] !== undefined)
/** Entities that cannot be distinguished: the number of a passport does not identify its country. */
export const EQUIVALENT: readonly (readonly Entity[])[] = [['US_PASSPORT', 'IN_PASSPORT']]

const sentenceFor = (random: Random, entity: Entity, value: string): string => {
  const withContext = CONTEXT_SENTENCES[entity] ?? []
  const sentences = CONTEXT_FREE.includes(entity) ? [...withContext, ...NEUTRAL_SENTENCES] : withContext
  return random.pick(sentences).replace('{}', () => value)
}

const keyFor = (random: Random, entity: Entity): string =>
  random.pick(KEYS[entity] ?? ['value', 'detail', 'note'])

const jsonFor = (random: Random, entity: Entity, value: string): unknown => {
  const record = {
    id: random.below(100_000),
    [keyFor(random, entity)]: value,
    status: random.pick(['open', 'closed']),
    reference: random.pick(BENIGN)(random),
  }
  return random.pick([
    { content: [{ type: 'text', text: sentenceFor(random, entity, value) }], isError: false },
    { items: [record], total: 1 },
    { structuredContent: record },
    {
      content: [
        { type: 'resource', resource: { uri: 'note://1', text: sentenceFor(random, entity, value) } },
      ],
    },
  ])
}

/** The same number of documents for each entity. A third are JSON; each sentence is followed by a benign line. */
export const makeCorpus = (size: number, seed = 20_260_701): Document[] => {
  const random = seeded(seed)
  return Array.from({ length: size }, (_, n): Document => {
    const entity = LABELED[n % LABELED.length] as Entity
    const value = (SPECIMENS[entity] as (random: Random) => string)(random)
    const labels = [{ entity, value }]
    if (n % 3 === 0) return { value: jsonFor(random, entity, value), labels }
    return { value: `${sentenceFor(random, entity, value)}\n${random.pick(BENIGN)(random)}`, labels }
  })
}
