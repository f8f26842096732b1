/** RFC 6901. Undefined where nothing is. */
export const readPointer = (value: unknown, pointer: string): unknown => {
  let current = value
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (current === null || typeof current !== 'object' || !Object.hasOwn(current, name)) return undefined
    current = (current as Record<string, unknown>)[name]
  }
  return current
}

const MAX_NAME = 320

/** What stands there as a name to show or to compare, or null. */
export const readName = (value: unknown, pointer: string): string | null => {
  const found = readPointer(value, pointer)
  return (typeof found === 'string' && found !== '') || typeof found === 'number'
    ? String(found).slice(0, MAX_NAME)
    : null
}
