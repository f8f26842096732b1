import { BENIGN } from '../../../server/test/rules/benign.ts'
import { type Document, makeCorpus } from '../../../server/test/rules/corpus.ts'
import { type Random, seeded } from '../../../server/test/rules/random.ts'

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

export type Density = 'ordinary' | 'dense'

export const sizeOf = (documents: readonly Document[]): number =>
  documents.reduce((size, { value }) => size + (value as string).length, 0)

export const texts = (count: number, density: Density): Document[] => {
  const random = seeded(5)
  const sentences = makeCorpus(count * IN_ONE * 2).filter(({ value }) => typeof value === 'string')
  let next = 0
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
