/** A context word and the topics that it indicates. A topic is an entity or one of the dictionaries. */
export type Word = { word: string; topics: number[] }
export type WordIndex = {
  /** A Bloom filter over length and three letters, which rejects most words of a text with one lookup. */
  filter: Uint8Array
  words: Map<string, Word>
}

const FILTER_SIZE = 1 << 14
const MIN_WORD_LENGTH = 2

/** Hashes the first two letters, the last letter and the length. Bit 32, which distinguishes ASCII cases, is always set. */
const filterKey = (first: number, second: number, last: number, length: number): number =>
  (((first | 32) * 31 + (second | 32)) * 31 + (last | 32) + length * 7919) & (FILTER_SIZE - 1)

export const indexWords = (topics: Iterable<[topic: number, words: Iterable<string>]>): WordIndex => {
  const index: WordIndex = { filter: new Uint8Array(FILTER_SIZE), words: new Map() }
  for (const [topic, words] of topics) for (const word of words) addWord(index, word.toLowerCase(), topic)
  return index
}

const addWord = ({ filter, words }: WordIndex, word: string, topic: number): void => {
  if (word.length < MIN_WORD_LENGTH) return
  const { length } = word
  filter[filterKey(word.charCodeAt(0), word.charCodeAt(1), word.charCodeAt(length - 1), length)] = 1
  const known = words.get(word)
  if (known) known.topics.push(topic)
  else words.set(word, { word, topics: [topic] })
}

/** False if the word is certainly not in the index. */
export const mayBeIndexed = (
  { filter }: WordIndex,
  units: Uint16Array,
  start: number,
  end: number,
): boolean =>
  end - start >= MIN_WORD_LENGTH &&
  filter[
    filterKey(units[start] as number, units[start + 1] as number, units[end - 1] as number, end - start)
  ] === 1
