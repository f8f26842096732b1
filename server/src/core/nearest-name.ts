/** The known name closest to a misspelled one, or null if none is similar. */
export const nearestName = (given: string, known: readonly string[]): string | null => {
  const allowed = Math.max(1, Math.floor(given.length / 3))
  const ranked = known
    .map(name => ({ name, distance: editDistance(given.toLowerCase(), name.toLowerCase()) }))
    .toSorted((a, b) => a.distance - b.distance)
  const [best] = ranked
  return best && best.distance <= allowed ? best.name : null
}

const MAX_LENGTH = 64

/** Number of characters to change, insert, delete or transpose. */
const editDistance = (from: string, to: string): number => {
  if (from.length > MAX_LENGTH || to.length > MAX_LENGTH) return Number.POSITIVE_INFINITY
  const rows = [Array.from({ length: to.length + 1 }, (_, index) => index)]
  const at = (i: number, j: number): number => rows[i]?.[j] ?? Number.POSITIVE_INFINITY
  for (let i = 1; i <= from.length; i++) {
    const row = [i]
    rows.push(row)
    for (let j = 1; j <= to.length; j++) {
      const swapped =
        from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
          ? at(i - 2, j - 2) + 1
          : Number.POSITIVE_INFINITY
      const changed = at(i - 1, j - 1) + (from[i - 1] === to[j - 1] ? 0 : 1)
      row.push(Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, changed, swapped))
    }
  }
  return at(from.length, to.length)
}
