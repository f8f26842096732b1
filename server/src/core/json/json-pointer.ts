/** JSON Pointer (RFC 6901). */

/** The names of a pointer's steps. */
export const stepsOf = (pointer: string): string[] => pointer.split('/').slice(1).map(unescapeStep)

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

/** As `readPointer`, for a reference within the document, such as `#/$defs/name`: a pointer in the form of a URI fragment (§6). */
export const readReference = (document: unknown, reference: string): unknown => {
  if (!/^#(?:\/|$)/.test(reference)) return undefined
  try {
    return readPointer(document, decodeURIComponent(reference.slice(1)))
  } catch {
    // Invalid percent-encoding.
    return undefined
  }
}
