import { stem, wordsOfText } from './tokenize.ts'
import { KINDS, READING, SAME, WRITING } from './vocabulary.ts'

export type Effect = 'read' | 'write'

/** `means`: the words of tools, in groups that count separately, such as an action and its object. */
export type Phrase = {
  words: string[]
  isVerb: boolean
  means: string[][]
  effect: Effect | null
  weight: number
}

const PHRASE_WEIGHT = 0.7
const KIND_WEIGHT = 0.4

const readLines = (lines: string, effect: Effect | null, weight: number): Phrase[] =>
  lines
    .trim()
    .replaceAll(/,\s*\n/g, ', ')
    .split('\n')
    .flatMap(line => {
      const [tools = '', everyday = ''] = line.split('<')
      const means = tools.split('|').map(part => wordsOfText(part).map(stem))
      return everyday.split(',').map(said => {
        const words = wordsOfText(said).map(stem)
        return { words, isVerb: said.includes('^'), means, effect, weight }
      })
    })

/** By their first words. */
const phrases = Map.groupBy(
  [
    ...readLines(READING, 'read', PHRASE_WEIGHT),
    ...readLines(WRITING, 'write', PHRASE_WEIGHT),
    ...readLines(KINDS, null, KIND_WEIGHT),
  ],
  ({ words }) => words[0] ?? '',
)

const same = new Map<string, Set<string>>()
for (const line of SAME.trim().split('\n')) {
  const group = wordsOfText(line).map(stem)
  for (const word of group) same.set(word, new Set([...(same.get(word) ?? []), ...group]))
}

/** The phrases that begin with a stemmed word. */
export const phrasesFrom = (word: string): readonly Phrase[] => phrases.get(word) ?? []

/** Other stemmed words for a stemmed word. */
export const synonymsOf = (word: string): string[] =>
  [...(same.get(word) ?? [])].filter(other => other !== word)

/** The words of the vocabulary, with and without their endings. */
export const everydayWords: ReadonlySet<string> = new Set(
  [READING, WRITING, KINDS, SAME].flatMap(wordsOfText).flatMap(word => [word, stem(word)]),
)
