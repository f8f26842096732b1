/** Context words by hash, so that a word of a text costs one look-up. What a word is about is a topic. */
export type WordIndex = {
  /** Most words of a text are not in the index; this says so without a look-up. */
  filter: Uint8Array
  words: Map<number, { word: string; topics: number[] }[]>
}

const FILTER_SIZE = 1 << 13

/** One character more; letters beyond Latin 1 count as they are. */
export const hashStep = (hash: number, code: number): number => Math.imul(hash ^ lower(code), 0x01000193)
export const HASH_START = 0x811c9dc5

const lower = (code: number): number =>
  (code >= 65 && code <= 90) || (code >= 0xc0 && code <= 0xde) ? code + 32 : code

const hashOf = (word: string): number => {
  let hash = HASH_START
  for (let at = 0; at < word.length; at++) hash = hashStep(hash, word.charCodeAt(at))
  return hash
}

export const indexWords = (topics: Iterable<[topic: number, words: Iterable<string>]>): WordIndex => {
  const index: WordIndex = { filter: new Uint8Array(FILTER_SIZE), words: new Map() }
  for (const [topic, words] of topics) for (const word of words) addWord(index, word.toLowerCase(), topic)
  return index
}

const addWord = ({ filter, words }: WordIndex, word: string, topic: number): void => {
  const hash = hashOf(word)
  filter[hash & (FILTER_SIZE - 1)] = 1
  const sameHash = words.get(hash) ?? []
  words.set(hash, sameHash)
  const known = sameHash.find(entry => entry.word === word)
  if (known) known.topics.push(topic)
  else sameHash.push({ word, topics: [topic] })
}

export type Word = { word: string; topics: number[] }

export const findWord = (
  index: WordIndex,
  hash: number,
  text: string,
  start: number,
  end: number,
): Word | undefined =>
  index.filter[hash & (FILTER_SIZE - 1)] === 0
    ? undefined
    : index.words.get(hash)?.find(({ word }) => word === text.slice(start, end).toLowerCase())
