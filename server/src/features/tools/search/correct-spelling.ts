/** Shorter words have too many neighbors. */
const MIN_KNOWN_LENGTH = 5

/**
 * The known word that an unknown one of at least `minLength` letters probably stands for: its beginning, such as `config`, or a single
 * typo in it. Null if there is none.
 */
export const correctSpelling = (word: string, known: Iterable<string>, minLength: number): string | null => {
  if (word.length < minLength || !/^[a-z]+$/.test(word)) return null
  let completed: string | null = null
  for (const other of known) {
    if (other[0] !== word[0] || other.length < MIN_KNOWN_LENGTH) continue
    if (isOneTypoAway(word, other)) return other
    if (completed === null && word.length >= MIN_KNOWN_LENGTH && other.startsWith(word)) completed = other
  }
  return completed
}

/** One letter is missing, superfluous or different, or two adjacent letters are swapped. */
const isOneTypoAway = (a: string, b: string): boolean => {
  if (Math.abs(a.length - b.length) > 1) return false
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  const [restA, restB] = [a.slice(at), b.slice(at)]
  if (a.length > b.length) return restA.slice(1) === restB
  if (a.length < b.length) return restA === restB.slice(1)
  if (restA.slice(1) === restB.slice(1)) return true
  return restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2)
}
