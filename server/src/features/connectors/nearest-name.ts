/** The known name that a misspelt one was probably meant to be, or null where none is near. */
export const nearestName = (given: string, known: readonly string[]): string | null => {
  const allowed = Math.max(1, Math.floor(given.length / 3))
  const ranked = known
    .map(name => ({ name, distance: editDistance(given.toLowerCase(), name.toLowerCase()) }))
    .toSorted((a, b) => a.distance - b.distance)
  const [best] = ranked
  return best && best.distance <= allowed ? best.name : null
}

const LONGEST = 64

const editDistance = (from: string, to: string): number => {
  if (from.length > LONGEST || to.length > LONGEST) return Number.POSITIVE_INFINITY
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [i, letter] of Array.from(from).entries()) {
    const next = [i + 1]
    for (const [j, other] of Array.from(to).entries())
      next.push(
        Math.min(
          (row[j + 1] as number) + 1,
          (next[j] as number) + 1,
          (row[j] as number) + (letter === other ? 0 : 1),
        ),
      )
    row = next
  }
  return row.at(-1) as number
}
