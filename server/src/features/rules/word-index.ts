/** Context words, so that most words of a text cost one look into a table. What a word is about is a topic. */
export type Word = { word: string; topics: number[] }
export type WordIndex = {
  /** By length and a few letters: most words of a text are not in the index, and this says so. */
  filter: Uint8Array
  words: Map<string, Word>
}

const FILTER_SIZE = 1 << 14

/** By its first letters, its last and its length. In upper and lower case they differ in one bit, which is set here for all. */
const keyOf = (first: number, second: number, last: number, length: number): number =>
  (((first | 32) * 31 + (second | 32)) * 31 + (last | 32) + length * 7919) & (FILTER_SIZE - 1)

export const indexWords = (topics: Iterable<[topic: number, words: Iterable<string>]>): WordIndex => {
  const index: WordIndex = { filter: new Uint8Array(FILTER_SIZE), words: new Map() }
  for (const [topic, words] of topics) for (const word of words) addWord(index, word.toLowerCase(), topic)
  return index
}

const addWord = ({ filter, words }: WordIndex, word: string, topic: number): void => {
  if (word.length < 2) return
  const { length } = word
  filter[keyOf(word.charCodeAt(0), word.charCodeAt(1), word.charCodeAt(length - 1), length)] = 1
  const known = words.get(word)
  if (known) known.topics.push(topic)
  else words.set(word, { word, topics: [topic] })
}

/** A word has two letters at least. Nearly every other is told apart here. */
export const mayBeWord = ({ filter }: WordIndex, units: Uint16Array, start: number, end: number): boolean =>
  end - start > 1 &&
  filter[keyOf(units[start] as number, units[start + 1] as number, units[end - 1] as number, end - start)] ===
    1
