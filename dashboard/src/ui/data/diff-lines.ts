export type DiffLine = { kind: 'same' | 'removed' | 'added'; text: string }

/** Beyond this size, the comparison would block the page; the texts are then shown one after the other. */
const MAX_CELLS = 4_000_000

/** Compares two texts line by line by their longest common subsequence. */
export const diffLines = (before: string, after: string): DiffLine[] => {
  const [a, b] = [linesOf(before), linesOf(after)]
  if (a.length * b.length > MAX_CELLS) return [...mark('removed', a), ...mark('added', b)]
  const lengths = commonLengths(a, b)
  const width = b.length + 1
  const found: DiffLine[] = []
  let [i, j] = [0, 0]
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      found.push({ kind: 'same', text: a[i] as string })
      i++
      j++
    } else if ((lengths[(i + 1) * width + j] ?? 0) >= (lengths[i * width + j + 1] ?? 0))
      found.push({ kind: 'removed', text: a[i++] as string })
    else found.push({ kind: 'added', text: b[j++] as string })
  }
  return [...found, ...mark('removed', a.slice(i)), ...mark('added', b.slice(j))]
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.split('\n'))
const mark = (kind: DiffLine['kind'], lines: string[]): DiffLine[] => lines.map(text => ({ kind, text }))

/** Length of the longest common subsequence of the rest of both texts, from each pair of lines. */
const commonLengths = (a: string[], b: string[]): Uint32Array => {
  const width = b.length + 1
  const lengths = new Uint32Array((a.length + 1) * width)
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        a[i] === b[j]
          ? (lengths[(i + 1) * width + j + 1] as number) + 1
          : Math.max(lengths[(i + 1) * width + j] as number, lengths[i * width + j + 1] as number)
  return lengths
}
