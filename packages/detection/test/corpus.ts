import { ENTITIES, type Entity } from '../src/index.ts'
import { BENIGN } from './benign.ts'
import { type Random, seeded } from './random.ts'
import { KEYS, NEUTRAL, STANDS_ALONE, TELLING } from './sentences.ts'
import { SPECIMENS } from './specimens.ts'

export type Label = { entity: Entity; value: string }
/** A sentence, or a JSON value as a tool would answer it. */
export type Document = { value: unknown; labels: Label[] }

export const LABELLED = ENTITIES.filter(entity => SPECIMENS[entity] !== undefined)
/** As good as each other in this position: a passport's number does not say which country gave it out. */
export const ALIKE: readonly (readonly Entity[])[] = [['US_PASSPORT', 'IN_PASSPORT']]

const sentenceFor = (random: Random, entity: Entity, value: string): string => {
  const telling = TELLING[entity] ?? []
  const sentences = STANDS_ALONE.includes(entity) ? [...telling, ...NEUTRAL] : telling
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

/** As many of each entity as of every other, a third of them in JSON, each sentence followed by something harmless. */
export const makeCorpus = (size: number, seed = 20_260_701): Document[] => {
  const random = seeded(seed)
  return Array.from({ length: size }, (_, n): Document => {
    const entity = LABELLED[n % LABELLED.length] as Entity
    const value = (SPECIMENS[entity] as (random: Random) => string)(random)
    const labels = [{ entity, value }]
    if (n % 3 === 0) return { value: jsonFor(random, entity, value), labels }
    return { value: `${sentenceFor(random, entity, value)}\n${random.pick(BENIGN)(random)}`, labels }
  })
}
