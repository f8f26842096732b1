import { BENIGN } from '../../../packages/detection/test/benign.ts'
import { type Document, makeCorpus } from '../../../packages/detection/test/corpus.ts'
import { type Random, seeded } from '../../../packages/detection/test/random.ts'

/** So many lines make a text of about 2 KB, a typical size of a tool result. */
const LINES_PER_TEXT = 24
/** In an ordinary text, one line in eight contains personal data and one is a harmless log line; the others are prose. */
const LINES_PER_FINDING = 8

const WORDS =
  'the team has moved its review of this change to another room since nobody could find a good reason why our parser should read the same file again when a shorter path would have answered everyone who asked for it last week and more than one customer wrote that they were happy with how quickly it works now'.split(
    ' ',
  )

const prose = (random: Random): string =>
  `${Array.from({ length: 8 + random.below(10) }, () => random.pick(WORDS)).join(' ')}.`

export type Density = 'ordinary' | 'dense' | 'json'

export const sizeOf = (documents: readonly Document[]): number =>
  documents.reduce((size, { value }) => size + asText(value).length, 0)

/** For peers that redact only strings. */
export const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** A page of records, as returned by a tool: IDs, dates, numbers and short texts. One record in eight contains personal data. */
const records = (random: Random, next: () => Document): Document => {
  const lines = Array.from({ length: LINES_PER_FINDING }, (_, n) =>
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
  const sentences = makeCorpus(count * LINES_PER_TEXT * 2).filter(({ value }) => typeof value === 'string')
  let next = 0
  if (density === 'json')
    return Array.from({ length: count }, () => records(random, () => sentences[next++] as Document))
  const joined = Array.from({ length: count }, (): Document => {
    const lines = Array.from({ length: LINES_PER_TEXT }, (_, line) => {
      if (density === 'dense' || line % LINES_PER_FINDING === 0) {
        const { value, labels } = sentences[next++] as Document
        return { text: value as string, labels }
      }
      return {
        text: line % LINES_PER_FINDING === 1 ? random.pick(BENIGN)(random) : prose(random),
        labels: [],
      }
    })
    return { value: lines.map(({ text }) => text).join('\n'), labels: lines.flatMap(({ labels }) => labels) }
  })
  // Creates flat strings, as parsed from a response, instead of V8's concatenation trees.
  return JSON.parse(JSON.stringify(joined)) as Document[]
}
