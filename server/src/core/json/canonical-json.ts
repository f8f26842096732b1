/** RFC 8785: equal values give equal texts, whatever the order of their fields. Fields that are undefined are left out. */
export const canonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(item => canonicalJson(item ?? null)).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    // By UTF-16 code units, as JavaScript compares strings.
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`)
  return `{${fields.join(',')}}`
}

/** What a value contains that JSON readers understand differently; null if nothing. */
export const findAmbiguity = (value: unknown): string | null => {
  if (typeof value === 'number')
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? 'a number beyond 2^53' : null
  if (typeof value === 'string') return value.isWellFormed() ? null : 'a text that is not valid Unicode'
  if (value === null || typeof value !== 'object') return null
  for (const [name, part] of Object.entries(value)) {
    const found = findAmbiguity(name) ?? findAmbiguity(part)
    if (found) return found
  }
  return null
}
