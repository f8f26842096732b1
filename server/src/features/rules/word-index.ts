/** Context words, so that most words of a text cost one look into a table. What a word is about is a topic. */
export type Word = { word: string; topics: number[] }
export type WordIndex = {
  /** By length and a few letters: most words of a text are not in the index, and this says so. */
  filter: Uint8Array
  words: Map<string, Word>
}

const FILTER_SIZE = 1 << 14

/** Letters in upper and lower case differ in one bit, which is set here for all. */
const keyOf = (text: string, start: number, end: number): number =>
  (((text.charCodeAt(start) | 32) * 31 + (text.charCodeAt(start + 1) | 32)) * 31 +
    (text.charCodeAt(end - 1) | 32) +
    (end - start) * 7919) &
  (FILTER_SIZE - 1)

export const indexWords = (topics: Iterable<[topic: number, words: Iterable<string>]>): WordIndex => {
  const index: WordIndex = { filter: new Uint8Array(FILTER_SIZE), words: new Map() }
  for (const [topic, words] of topics) for (const word of words) addWord(index, word.toLowerCase(), topic)
  return index
}

const addWord = ({ filter, words }: WordIndex, word: string, topic: number): void => {
  if (word.length < 2) return
  filter[keyOf(word, 0, word.length)] = 1
  const known = words.get(word)
  if (known) known.topics.push(topic)
  else words.set(word, { word, topics: [topic] })
}

/** A word has two letters at least. */
export const findWord = (
  { filter, words }: WordIndex,
  text: string,
  start: number,
  end: number,
): Word | undefined =>
  end - start > 1 && filter[keyOf(text, start, end)] === 1
    ? words.get(text.slice(start, end).toLowerCase())
    : undefined
