import { BENIGN } from '../../../packages/detection/test/benign.ts'
import { type Document, makeCorpus } from '../../../packages/detection/test/corpus.ts'
import { type Random, seeded } from '../../../packages/detection/test/random.ts'

/** Sentences make a text of about 2 KB, as a tool answers it. */
const IN_ONE = 24
/** Of an ordinary text, every eighth line holds something, and every eighth is a line of a log; the others are prose. */
const EIGHT = 8

const WORDS =
  'the team has moved its review of this change to another room since nobody could find a good reason why our parser should read the same file again when a shorter path would have answered everyone who asked for it last week and more than one customer wrote that they were happy with how quickly it works now'.split(
    ' ',
  )

const prose = (random: Random): string =>
  `${Array.from({ length: 8 + random.below(10) }, () => random.pick(WORDS)).join(' ')}.`

export type Density = 'ordinary' | 'dense' | 'json'

export const sizeOf = (documents: readonly Document[]): number =>
  documents.reduce((size, { value }) => size + asText(value).length, 0)

/** For who reads texts alone. */
export const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** A page of records, as a tool lists them: ids, dates, numbers, short texts, and in every eighth something to be found. */
const records = (random: Random, next: () => Document): Document => {
  const lines = Array.from({ length: EIGHT }, (_, n) =>
    n === 0 ? next() : { value: prose(random), labels: [] },
  )
  const items = lines.map(({ value }, n) => ({
    id: `rec_${random.below(1e9).toString(36)}`,
    number: 1000 + random.below(9000),
    title: prose(random).slice(0, 40),
    status: random.pick(['open', 'closed', 'waiting for reply']),
    labels: [random.pick(WORDS), random.pick(WORDS)],
    created_at: `2026-0${1 + random.below(9)}-1${random.below(10)}T0${random.below(10)}:15:30Z`,
    updated_by: { type: 'user', handle: random.pick(WORDS) },
    comments: random.below(20),
    is_locked: n % 3 === 0,
    body: value,
  }))
  return { value: { items, next_page: null, total: 120 }, labels: lines.flatMap(({ labels }) => labels) }
}

export const texts = (count: number, density: Density): Document[] => {
  const random = seeded(5)
  const sentences = makeCorpus(count * IN_ONE * 2).filter(({ value }) => typeof value === 'string')
  let next = 0
  if (density === 'json')
    return Array.from({ length: count }, () => records(random, () => sentences[next++] as Document))
  const joined = Array.from({ length: count }, (): Document => {
    const lines = Array.from({ length: IN_ONE }, (_, line) => {
      if (density === 'dense' || line % EIGHT === 0) {
        const { value, labels } = sentences[next++] as Document
        return { text: value as string, labels }
      }
      return { text: line % EIGHT === 1 ? random.pick(BENIGN)(random) : prose(random), labels: [] }
    })
    return { value: lines.map(({ text }) => text).join('\n'), labels: lines.flatMap(({ labels }) => labels) }
  })
  // As they come from the wire, and not as a tree of the pieces that they were made of.
  return JSON.parse(JSON.stringify(joined)) as Document[]
}
