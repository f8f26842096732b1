/** JSON Pointer (RFC 6901). */

/** The names of a pointer's steps. */
export const stepsOf = (pointer: string): string[] => pointer.split('/').slice(1).map(unescapeStep)

/** Steps of a reference such as `#/$defs/name`; null if it is no pointer in the form of a URI fragment (§6). */
export const stepsOfFragment = (reference: string): string[] | null => {
  if (!/^#(?:\/|$)/.test(reference)) return null
  try {
    return stepsOf(decodeURIComponent(reference.slice(1)))
  } catch {
    return null
  }
}

export const escapeStep = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')
const unescapeStep = (step: string): string => step.replaceAll('~1', '/').replaceAll('~0', '~')

/** Undefined if the value has no such member. */
export const stepInto = (value: unknown, name: string): unknown =>
  value !== null && typeof value === 'object' && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined

/** Undefined if the pointer resolves to nothing. */
export const readPointer = (value: unknown, pointer: string): unknown =>
  stepsOf(pointer).reduce(stepInto, value)
